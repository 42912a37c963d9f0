import { wordsOf } from '../../search/search.ts';

/**
 * Common words of tasks in German, Spanish and French, without accents, each as the beginning that its forms share, and what they
 * mean in English, the language of most skills.
 */
const dictionary = `
  access zugang zugriff acceso acces; accessibility barrierefrei accesib accessib; account konto konten cuenta compte; agreement
  vereinbarung acuerdo accord; analysis analys auswert analiz; answer antwort beantwort respond responde repond; application anwendung
  aplicacion; appointment termin cita rendez; attack angriff ataque attaque; audit prufung auditor; backup sicherung copia sauvegarde;
  booking buchung reserva reservation; bug fehler fallo erreur bogue; calendar kalender calendario calendrier; campaign kampagne campan
  campagne; change ander aendern cambi modif chang; chart diagramm grafic graphi; clause klausel clausul; cloud wolke nube; column
  spalte columna colonne; company firma unternehmen empresa entreprise; compare vergleich compar; complaint beschwer reklam queja reclam
  plainte; compliance vorschrift cumplimiento conform; component komponente componente composant; contract vertrag contrat
  bedingung condicion; contrast kontrast contraste; correct korrig corrig correg; cost kosten coste cout; course kurs schulung curso
  formation; customer kunde kundin cliente client; data daten datos donnee; database datenbank basededatos; decision entscheid decision;
  delete losch elimin borra supprim; delivery liefer entrega livraison; dependency abhangig dependenc dependance; deploy ausroll
  bereitstell despleg deploi; describe beschreib describ decri; design entwurf entwerf disen concevoir conception; device gerat
  dispositivo appareil; document dokument documenta; email mail correo courriel; employee mitarbeit angestellt emplead employe;
  error fehler error erreur; event veranstalt evento evenement; explain erklar explic expliqu; figure zahl kennzahl cifra chiffre; file
  datei archivo fichero fichier; finance finanz; fix beheb reparier arregl repar; font schrift fuente police; form formular; goal ziel
  objetivo objectif; holiday urlaub feiertag vacacion conge vacances; image bild imagen; incident storung vorfall incidente panne;
  infrastructure infrastruktur infraestructura; interface schnittstelle oberflache interfaz; interview bewerb entrevista entretien;
  invoice rechnung factura facture; keyboard tastatur teclado clavier; label beschrift etiqueta etiquette; language sprache idioma langue;
  law recht gesetz ley juridi droit; letter brief carta lettre; liability haftung responsabil; license lizenz licencia licence; list liste
  lista; log protokoll registro journal; login anmeld einlog sesion connexion; market markt mercado marche; meeting besprech sitzung
  reunion treffen; memory speicher memoria memoire; message nachricht mensaje message; migration umstell umzug migra; module modul; month
  monat mes mois; network netzwerk red reseau; new neu nuevo nueva nouve; newsletter rundbrief rundschreiben boletin infolettre; note
  notiz nota; notification benachricht notificacion; offer angebot oferta offre; order bestell auftrag pedido commande; outage ausfall
  caida panne; package paket paquete paquet; page seite pagina; password passwort kennwort contrasen motdepasse; payment zahlung bezahl
  pago paiement; performance leistung rendimiento; picture bild foto; plan planung planif; plural mehrzahl; presentation prasent vortrag
  presentacion expose; price preis precio prix; privacy datenschutz privacidad confidential; problem problem; product produkt producto
  produit; project projekt proyecto projet; proposal vorschl propuesta proposition; question frage pregunta; query abfrage consulta
  requete; quarter quartal trimestre; readable lesbar legible lisible; refund erstatt reembols rembours; release veroffentlich
  freigabe publica lanza livrer; remove entfern quitar enlever retir; report bericht informe rapport; request anfrage solicitud
  demande; review pruf uberpruf durchseh begutacht revis relire; route route ruta; row zeile fila ligne; salary gehalt sueldo salaire;
  sale verkauf umsatz venta vente; schedule zeitplan horario; search such busca cherche; security sicherheit seguridad securite; server
  server servidor serveur; shop laden tienda boutique; slide folie diapositiva; slow langsam lento lenta lent lente; spreadsheet tabelle
  kalkul hoja tableur; start beginn anfang inicio debut; string zeichenkette cadena chaine; subscriber abonn suscript; summary
  zusammenfass resum; supplier lieferant anbieter proveedor fournisseur; survey umfrage befragung encuesta sondage enquete; table tabelle
  tabla tableau; team mannschaft equipo equipe; termination kundig rescision resiliation; test prueba essai; text text texto texte; time
  zeit tiempo temps; training schulung capacitacion; translation ubersetz traduc tradui; trip reise viaje voyage; update aktualis
  actualiz; upgrade hochstuf aktualis; user benutz nutzer usuari utilisat; version version; video video; vulnerability luck lucke
  vulnerab faille; warning warn advert avertiss; website webseite website sitio siteweb; word wort palabra mot; write schreib verfass
  escrib redact ecri; year jahr ano annee`
  .split(';')
  .flatMap((entry) => {
    const [english, ...words] = entry.trim().split(/\s+/);
    return words.map((beginning) => ({ beginning, english: english! }));
  });

/** The entries by their first letters, which every beginning has. */
const prefixLength = 2;
const entriesByPrefix = Map.groupBy(dictionary, ({ beginning }) => beginning.slice(0, prefixLength));

/** How many letters a form may have more than the beginning. German joins words, and longer ones mean something else. */
const maxEnding = 5;
const maxWords = 1000;

/** The English words for those of another language in a text. */
export function translatedWords(text: string): readonly string[] {
  const words = [...new Set(wordsOf(text))].slice(0, maxWords);
  const found = words.flatMap((word) =>
    (entriesByPrefix.get(word.slice(0, prefixLength)) ?? [])
      .filter(
        ({ beginning, english }) =>
          word !== english && word.startsWith(beginning) && word.length <= beginning.length + maxEnding,
      )
      .map(({ english }) => english),
  );
  return [...new Set(found)];
}

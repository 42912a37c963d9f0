/** Tasks as people give them, in four languages; some are too small for a plan. */
export const planTasks: readonly string[] = [
  'Migrate the shop from Express to Fastify.',
  'Port the price calculation to Rust and keep the results identical.',
  'What does cart.js do?',
  'Fix the typo in the first line of the README: "smal" should be "small".',
  'Add unit tests for every module in src, write API docs for the routes, and set up a GitHub workflow that runs the tests.',
  'Stelle alle Module in src auf TypeScript um und passe die Tests an.',
  'Suche nach Sicherheitslücken in den Routen und behebe die schlimmsten.',
  'Benenne in cart.js die Variable sum in total um.',
  'Die Seite soll Deutsch, Englisch und Französisch können: Texte auslagern, übersetzen und in den Routen verwenden.',
  'Warum ist die Bestellübersicht so langsam? Finde die Ursache, beschreibe sie und schlage zwei Lösungen vor.',
  'Ajoute la gestion des codes promo : calcul dans le panier, route pour les vérifier, tests et documentation.',
  'Quelle version de Node faut-il pour ce projet ?',
  'Remplace le stockage en mémoire par SQLite, avec un script de migration et des tests.',
  'Compare trois façons de mettre en cache les prix, mesure-les et écris un rapport dans docs/cache.md.',
  'Supprime la ligne de débogage dans src/routes.js.',
  '把这个项目的所有回调改成 async/await，并确保测试通过。',
  '给购物车、订单和价格模块分别写文档，放在 docs 目录里。',
  '检查依赖有没有过期，升级它们，然后修复因此失败的测试。',
  'README 里的项目名称写错了，改成 “Corner Shop”。',
  '为商店增加退货功能：数据结构、路由、测试和用户说明。',
];

/** The project that the tasks are about. */
export const planProject: Readonly<Record<string, string>> = {
  'README.md': '# A smal shop\n\nRun `npm test`. Start it with `node src/server.js`.\n',
  'package.json': `${JSON.stringify(
    {
      name: 'shop',
      version: '1.0.0',
      engines: { node: '>=20' },
      scripts: { test: 'node --test' },
      dependencies: { express: '^4.19.0' },
    },
    null,
    2,
  )}\n`,
  'src/server.js':
    "const express = require('express');\nconst { routes } = require('./routes.js');\n\nroutes(express()).listen(3000);\n",
  'src/routes.js':
    "const { cartTotal } = require('./cart.js');\nconst { orders, addOrder } = require('./orders.js');\n\nexports.routes = (app) => {\n  app.get('/orders', (request, response) => response.json(orders()));\n  app.post('/orders', (request, response) => {\n    console.log('debug', request.body);\n    addOrder(request.body, () => response.json({ total: cartTotal(request.body.items) }));\n  });\n  return app;\n};\n",
  'src/cart.js':
    "const { priceOf } = require('./prices.js');\n\nexports.cartTotal = (items) => {\n  let sum = 0;\n  for (const { id, count } of items) sum += priceOf(id) * count;\n  return Math.round(sum * 100) / 100;\n};\n",
  'src/prices.js': 'const prices = { tea: 3.5, mug: 9.9 };\n\nexports.priceOf = (id) => prices[id] ?? 0;\n',
  'src/orders.js':
    'const all = [];\n\nexports.orders = () => all.map((order) => ({ ...order, items: JSON.parse(JSON.stringify(order.items)) }));\nexports.addOrder = (order, done) => {\n  all.push(order);\n  setImmediate(done);\n};\n',
  'test/cart.test.js':
    "const assert = require('node:assert');\nconst { test } = require('node:test');\nconst { cartTotal } = require('../src/cart.js');\n\ntest('adds the prices', () => assert.equal(cartTotal([{ id: 'tea', count: 2 }]), 7));\n",
};

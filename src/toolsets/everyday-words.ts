// General English for the ranking of tools: phrases, and kinds of actions.

/** Phrases whose meaning is lost word by word, and single words that the search ignores as too common. */
export const phrases: readonly (readonly [RegExp, string])[] = [
  [/^\s*:(?=\w)/g, ' expand command '],
  [/\b(can|could|would|will) (you|we|i)( please)?\b(?! (really|even|reach))/g, ' '],
  [
    /\b(please|kindly|thanks|thank you(?! \w)|hey|hello|i('d| would) (like|love)|i want|want to|let's|let me)\b/g,
    ' ',
  ],
  [/\b(made|make)[- ]up\b/g, ' sample '],
  [/\b(get|gets|got|getting) rid of\b/g, ' remove '],
  [/\b(throw|threw|thrown|toss|chuck)\b( \w+){0,3}? (out|away)\b/g, ' $& remove '],
  [/\b(take|took|clear|wipe|sweep|cross|strike)\b( [\w-]+){0,4}? (out|off|away)\b/g, ' $& remove '],
  [
    /\b(no longer|not|n't|never) (need|want|use)\b(?! to)|\b(don't|no) (need|want|longer)\b.* any ?more\b/g,
    ' $& remove ',
  ],
  [/\bno longer (appl|valid|true)\w*/g, ' $& remove '],
  [/\bno need to\b/g, ' cancel '],
  [/\b(call|called|calling)\b( \w+){0,4}? off\b/g, ' $& cancel '],
  [/\bcall(ed|s)? it a day\b/g, ' stop '],
  [
    /\b(go|went|going|switch|change|roll|turn|bring|get|put|want|have) (\w+ ){0,3}?back\b(?! (by|an|a|one|two|half|to (mon|tue|wed|thu|fri|sat|sun)))/g,
    ' $& restore ',
  ],
  [/\b(push|pushed|put|move|moved|shift)\b( [\w']+){0,4}? (back|off|forward|up)\b/g, ' $& postpone '],
  [
    /\b(carry|carried|go|goes|keep|kept|press) (on|going)\b|\bpick(ed)? up where\b|\bleft off\b/g,
    ' $& continue ',
  ],
  [/\b(one|any) more (thing|question|detail)|\banother question\b/g, ' $& follow-up continue '],
  [/\bhow come\b|\bwhy\b|\bwhat made\b|\bfor what reason\b|\bthe reason\b/g, ' $& explanation '],
  [
    /\b(not|never|n't|nobody|nothing) (\w+ )?(told|tell|notified|reminded|informed|warned|alerted|called|ring|rang)\b/g,
    ' $& unnotified ',
  ],
  [
    /\b(who|whom|whose|everybody|everyone|anybody|anyone|someone|somebody|users?|people|persons|folks)\b/g,
    ' $& person ',
  ],
  [
    /\b(not now|later|once more|one more time|in a (bit|while|moment)|in \w+ (minutes?|hours?)|after lunch)\b/g,
    ' $& postpone ',
  ],
  [/\bagain\b/g, ' repeat '],
  [
    /\b(nothing|not|n't|never|stopped|hardly|barely) (\w+ )?work(s|ing|ed)?\b|\b(is|are|something|anything|what's|goes|went) wrong\b|\bacting up\b/g,
    ' $& broken ',
  ],
  [
    /\b(right now|at the moment|at this moment|just now|as we speak)\b|\b(up to|doing) now\b/g,
    ' $& currently ',
  ],
  [/\b(up and running|alive|all right|alright|all ok|okay)\b/g, ' health '],
  [/\bsign(ed|s|ing)?( \w+){0,2}? up\b/g, ' register '],
  [
    /\bout of date\b|\bnot up to date\b|\bbehind\b|\b(not|n't|never) (show|appear|arrive|turn)\w*( up)?\b/g,
    ' $& outdated ',
  ],
  [/\b(not|n't|never|nor) (sent|send|gone|go|left|leave|delivered)\b|\bstuck\b/g, ' $& unsent '],
  [/\blook(s|ed|ing)? into\b/g, ' investigate '],
  [/\blook(s|ed|ing)? for\b|\bwhere is\b|\bis there an?\b|\bdo (i|we) have (an?|something)\b/g, ' $& find '],
  [/\blook(s|ed|ing)? after\b/g, ' manage '],
  [/\bset(ting)?( \w+){0,2}? up\b/g, ' setup '],
  [
    /\b(got it|understood|noted|i (already )?know|(i|we)( have|'ve)? (already )?(seen|read|saw))\b/g,
    ' $& acknowledge ',
  ],
  [
    /\b(stop|quit|enough) (\w+ )?(nagging|bugging|calling|reminding|pestering|ringing|bothering)\b/g,
    ' $& acknowledge ',
  ],
  [/\b(all|every|everything|which|how many|any)\b/g, ' $& list '],
  [/\b(in sync|in step|up to date)\b/g, ' $& sync '],
  [
    /\b(by|to|for) (her|him|them)self\b|\bon (its|their) own\b|\b(some(one|body)|person) else\b/g,
    ' $& helper ',
  ],
  [
    /\b(is|was|has) (it|he|she|this|that) (ready|done|finished|over)\b|\bready yet\b|\b(un)?til\b.*\b(done|ready|finished|complete[sd]?)\b/g,
    ' $& wait ',
  ],
  [/\b(over time|so far|in the past|used to|back then|last (week|month|year|night))\b/g, ' $& history '],
  [/\b(do not|don't|dont|never) (send|remind|ping|alert|notify|warn|nag|text)\b/g, ' cancel $& '],
  [
    /\b(do not|don't|dont|never|no) (disturb|ring|call|phone|bother|wake|calls|messages)\b/g,
    ' undisturbed $& ',
  ],
  [/\b(isn't|aren't|not|n't|no)\b.* any ?longer\b/g, ' $& remove '],
  [/\b(give|gives|giving|gave) up\b|\benough (is|of)\b|^\s*enough\b/g, ' $& stop '],
  [
    /\b(at once|at the same time|side by side|in parallel|several|many|multiple|a (group|team|bunch) of)\b/g,
    ' $& parallel ',
  ],
  [/\bwho (person )?(has |have |had )?(\w+ed|moved|put|took|made|set|wrote)\b/g, ' $& explanation '],
  [
    /\b(going to|will|gonna|about to) (\w+ )?(tell|remind|ping|notify|alert|call|text) (me|us|him|her|them)\b/g,
    ' $& upcoming reminder ',
  ],
  [
    /\b(silent|silence|quiet|mum) (about|on)\b|\b(needn't|don't|not|without|no need to) (\w+ )?tell(ing)?\b/g,
    ' $& cancel reminder ',
  ],
  [/\b(out of|from|off|in|into|to) the system\b/g, ' $& person '],
  [/\b(not|n't|cannot|can't) (yet )?(see|find)\b|\b(is|are) missing\b/g, ' $& outdated '],
  [/\b(extra|more|enough) time\b|\b(getting|get|to be) there\b|\bon the (road|way)\b/g, ' $& travel '],
  [
    /\bdeal(s|ing)? with\b|\bsomething (i |we )?(saved|stored|wrote|kept)?( \w+)? ?(on|about)\b/g,
    ' $& find topic ',
  ],
  [/\bhow (often|many times|frequently)\b/g, ' $& frequently usage '],
  [/\b(have|has) (i|we|you) got\b|\bdo (i|we|you) have\b/g, ' $& list '],
];

/** What people do to things. A tool of the wrong kind seldom is the one that is wanted. */
export const actions: Readonly<Record<'read' | 'create' | 'change' | 'remove', string>> = {
  read: 'list show find search read display view overview open peek watch check details lookup explanation history browse inspect count mention peruse',
  create:
    'add new create book register schedule save store remember write enter join pencil setup insert record arrange organize note make invite enrol introduce put keep build import load connect subscribe link hook follow plan',
  change:
    'change update edit modify alter adjust rename move shift reschedule postpone reword rewrite rephrase tweak fix correct push extend swap replace improve shorten lengthen longer shorter different switch amend revise adapt polish undo restore revert recover snooze delay refresh reload sync transfer prefer set',
  remove:
    'remove delete erase drop bin trash scrap discard wipe forget purge clear unlink disconnect unsubscribe cancel stop halt abort kill quit skip interrupt terminate end dump axe ditch scratch uninstall unfollow detach revoke tidy clean cleanup',
};

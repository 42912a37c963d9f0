/** Words that people use for what a tool does, where its name and description lack them. Only search_tools reads them. */
export const keywords: Readonly<Record<string, string>> = {
  list_prompts:
    'list available prompts commands templates library overview collection catalogue catalog shortcuts canned texts snippets instructions saved stored everything all menu browse inventory repertoire which ones have got options choices contents index macros boilerplates colon type formulas',
  search_prompts:
    'find look for search hunt locate dig out a prompt about a topic in the library matching mention containing subject keyword theme related to something for writing is there a template where was it suitable fitting lookup saved instruction text shortcut snippets any ever written dealing with',
  expand_prompt:
    'fill in use apply render run invoke execute trigger call a prompt command with input arguments snippet text saved instruction shortcut template canned insert paste details blanks values slash colon perform start do what it says on this routine usual as always',
  show_prompt:
    'show raw template source file path definition arguments blanks placeholders variables of a prompt before filling it in read open view wording exactly say contents inside look at full text saved without running inspect body written print see details editable parameters inputs takes needs',
  create_prompt:
    'save add store write new reusable prompt template text remember keep record shortcut canned reply snippet instructions make compose note down reuse wording put in library memorize for next time turn into boilerplate macro own',
  update_prompt:
    'edit change modify rename rewrite wording title description tags of a prompt better improve reword rephrase tweak fix typo correct adjust alter polish shorten lengthen different name saved text template shortcut instruction canned amend revise replace sentence paragraph tone add line',
  delete_prompt:
    'delete remove throw away out discard erase a prompt bin trash scrap dump ditch drop get rid of no longer need saved template shortcut canned text snippet instruction unwanted useless obsolete clear wipe want gone',
  prompt_history:
    'history versions revisions edited changed altered by author when earlier deleted prompt log past previous older drafts evolution over time last month look used to be before timeline differences compare what did template text saved wording was',
  label_prompt:
    'version tag release production staging pin protect publish approve prompt label mark official live stable lock freeze point name revision sign off good final go ship promote stamp designate template everybody should use',
  test_prompts:
    'run tests of prompts evaluate eval check regression judge rubric try out answers still good pass fail grade score exam template works as expected model output quality results trial assess measure',
  try_prompt:
    'try out experiment send filled prompt to the model see its answer response compare two revisions versions side by side playground sample output',
  keep_trial:
    'keep record store save an answer result of a sub-agent run as a trial of a prompt revision for comparison playground',
  list_trials:
    'earlier answers of tried prompts results experiments trials tokens time per revision comparison playground log',
  prompt_usage:
    'statistics most used popular unused prompts how often count analytics favourite frequently times usage never use figures numbers top ranking shortcuts templates per day who uses gathering dust habit least',
  restore_prompt:
    'undo revert roll back bring back go back recover earlier version deleted prompt mistake accident accidentally older previous wording original again get back lost reset reinstate rescue retrieve saved text template edit threw away ruined messed oops yesterday',
  list_deleted_prompts:
    'deleted removed prompts trash bin wastebasket recycle undelete recover which were thrown away gone missing lost list saved templates erased discarded',
  lint_prompts:
    'check validate verify problems mistakes errors broken prompt template syntax compile proofread faulty wrong flaws bugs defects typo placeholders missing invalid test quality health sanity inspect review library saved shortcuts correct fine works valid',
  import_prompts:
    'import bring load convert slash commands rules files from Claude Code Cursor Gemini into library take over move migrate transfer copy old templates another other app program folder upload ingest read in switch elsewhere existing collection here adopt',
  export_prompts:
    'export write download convert prompts files for another other program app Claude Code Cursor Gemini VS Code Codex format take save copy backup hand over share move transfer templates shortcuts library out of here elsewhere publish extract give colleague',
  delegate_run:
    'delegate agent sub-agent codex claude task work investigate explain repository bug fresh context background helper assistant someone somebody else do job for me hand over outsource assign send off research review code look into chore errand deputy specialist second opinion study write fix build start launch',
  delegate_resume:
    'continue resume follow-up question same thread earlier conversation sub-agent answer reply helper agent ask more carry on go on pick up where stopped left off interrupted further additional add to respond correction tell proceed another thing chat talk back again keep going previous',
  delegate_autopilot:
    'plan split distribute large big huge task several jobs agents parallel workers refactoring team break up divide share among between helpers pieces parts simultaneously same time at once project many crew group swarm coordinate tackle massive whole codebase manage automatically multiple sides angles hands giant enormous attack',
  delegate_compare:
    'compare contest competition race several agents models same task side by side best winner choose judge tournament which is better codex against versus claude rival rivals candidates results pick both try each compete bake-off evaluate solutions',
  list_runs:
    'list sub-agents agents running now active recent delegated jobs runs helpers busy working still going past earlier handed out this week workers tasks in progress who is doing what overview all started finished failed queue ongoing underway outsourced history person background outsourced lately for me',
  show_run:
    'show result outcome summary state details of a run delegated finished job helper agent came out end ended succeed success fail failed conclusion touched changed files did find report deliverable what happened went learn status produced one look at plan parts',
  tail_run:
    'follow watch live progress output events latest newest commands steps doing currently moment sub-agent run log helper agent job peek shoulder up to see working far spy monitor observe activity recent lines stream what is it how is it getting on',
  collect_run:
    'wait finish get answer result of a run sub-agent helper agent job done ready yet hold on until complete completes pick up fetch receive finished work collect come back return output block stay deliver hand in over await',
  run_statistics:
    'statistics count how many runs jobs tokens money cost spend spent price bill expensive usage per agent model folder day week month success rate failure share time duration budget left total chart report dollars helpers',
  list_agents:
    'which agents programs are available installed set up here can use choose codex claude gemini qwen opencode version signed in logged abilities supports able know options what helpers exist',
  cancel_run:
    'stop cancel kill abort end interrupt terminate halt running sub-agent agent helper worker job task processes delegated quit takes too long wild hanging stuck enough shut down pull the plug break off give up wrong call off freeze runaway forget it loop',
  fork_run:
    'fork branch try another alternative different way from earlier point of a run thread copy conversation split variant second attempt same start again what if experiment helper agent kept context history',
  steer_run:
    'steer message tell correct redirect guide nudge hint instruct add while working running agent helper sub-agent in the middle mid-turn say note remark change direction mention inform speak',
  interrupt_run:
    'interrupt pause stop current step turn command do something else instead change of plan new instruction agent helper hold break in switch drop what it is doing',
  list_approvals:
    'approvals permissions requests pending waiting asks wants allowed may agent helper questions open consent confirm decide queue',
  answer_approval:
    'approve allow permit grant yes deny refuse reject no answer permission request agent helper wants run command consent confirm decision okay let it forbid',
  apply_run:
    'apply deliver kept changes of failed run conflict resolved try again accept take over helper agent work merge hand in into my project files use keep what it did put in place adopt bring approve',
  undo_run:
    'undo revert roll back take back changes files of a run sub-agent helper agent did restore before put back as it was reverse unwanted mess damage broke job edits withdraw original',
  clean_runs:
    'clean up tidy clear out sweep delete remove purge old finished runs jobs folders free disk space storage room records logs stale past last year months leftover clutter junk housekeeping trim prune agent helper traces full history wipe',
  list_users:
    'list people persons members who system registered time zone everybody everyone whose diaries calendars manage look after how many on file known roster directory names contacts staff family team all signed up subscribers participants have got enrolled',
  get_user:
    'person profile details preferences time zone address phone number mobile quiet hours channel contact contacted reach email mail how does like lookup one settings information about him her where lives language data record card prefers look up know what is his her',
  create_user:
    'add new person colleague member mail address phone mobile register sign up enrol join wife husband brother sister friend client customer newcomer employee family someone introduce onboard set up account include partner mother father son daughter wants reminders too hire started',
  update_user:
    'change person profile preferences prefer channel mail phone call time zone quiet hours do not disturb undisturbed night sleep new number moved moved house relocated email address instead of calling texts ring rather married name weekend language evening before after morning wake different contact push switch silence',
  delete_user:
    'delete remove person and everything planned data erase forget wipe close account left company leave quit fired former member client customer employee all their data privacy GDPR unregister deregister kick gone moved away sign off no longer works out of the system altogether ex completely unsubscribe',
  list_rules:
    'list notification rules apply preferences importance special exceptions conditions set up who is important vip which have reminders alerts nagging policy policies treatment handled in force custom see boss how defined arrangement configured told you treat differently',
  set_rule:
    'add rule important importance priority meetings organized boss chief travel commute drive driving remind warn earlier later never always ignore vip treat less fewer nag often half hour ahead whenever from now on every time anything from special exception buffer way get there train matters most mute extra time getting there on the way ceo manager high enough',
  delete_rule:
    'delete remove forget drop cancel a rule exception no longer applies stop treating vip boss important travel time buffer fewer reminders undo get rid of special condition policy lift end back to normal ordinary abolish scrap outdated manager special lift restriction any longer',
  get_event:
    'details of one event meeting appointment location place where room address time attendees who is coming invited guests attending participants link dial-in join video call more about notes agenda lunch dentist doctor party long last organizer full information specific that',
  list_events:
    'calendar agenda schedule diary meetings appointments tomorrow today tonight week weekend free busy available take place where when next on my plate what is coming up planned doctor dentist look like day month program timetable have anything time monday tuesday wednesday thursday friday saturday sunday afternoon morning evening see do',
  create_event:
    'add schedule book plan new meeting appointment lunch dinner calendar diary put invite pencil in set up enter arrange organize make date visit haircut dentist doctor party birthday reserve slot block time note weekly recurring every monday tuesday wednesday thursday friday write down jot trip holiday call with fix',
  update_event:
    'move reschedule change edit rename event meeting appointment time location place push shift back forward postpone hour longer shorter extend prolong another different room day earlier later delay swap lunch dentist party call diary monday tuesday wednesday thursday friday bring forward add guest instead relocated start begins ends',
  delete_event:
    'delete remove cancel call off event meeting appointment occurrence series scrap drop take out of diary calendar lunch dinner dentist party concert lesson class skip once no longer happening not going clear day cross out forget axe monday tuesday wednesday thursday friday fell through ill weekly',
  answer_invitation:
    'accept decline tentative maybe RSVP reply answer respond invitation invite meeting request attend say yes no organizer',
  find_time:
    'find a time slot meeting several people everyone free available availability suggest propose when can we meet together gap opening',
  get_free_busy: 'free busy availability who is available when occupied taken booked schedule of colleagues',
  import_calendar:
    'import load once ics file iCalendar events read in copy attachment mailed sent appointments dates holiday school timetable from a file one time upload bring over take in downloaded invitation transfer old diary ical just paste birthdays trips',
  add_calendar:
    'subscribe connect add keep in sync step calendar address URL feed CalDAV account Google iCloud Outlook link hook up attach follow fixtures football work diary school shared team holiday webcal Nextcloud integrate pair join tie new source mirror watch permanently appointments phone tie in',
  list_calendars:
    'list connected calendars accounts feeds sync state subscribed hooked up linked diaries which last refreshed updated properly synchronised problems Google iCloud sources attached overview following working when did update subscriptions all fetched read come from appointments events where from feed agenda still',
  sync_calendar:
    'refresh fetch again repeat reload update sync synchronise calendar diary now out of date outdated stale newest latest pull changes made Google iCloud does not show up appear missing behind old get check for new appointments feed download meeting event just added see Outlook phone shows look whether',
  remove_calendar:
    'disconnect unsubscribe remove delete unlink unhook detach calendar and its events stop following feed account drop do not want any more football school work holiday Google iCloud Outlook get rid of subscription sever cut connection leave whole diary appointments club office changed jobs',
  list_notifications:
    'list reminders notifications alerts planned sent delivered upcoming status today ping pings coming up go out went gone failed missed due next when will remind nudge message text waiting which scheduled alarms did get received arrived about to be tell me told pending notices going to tell me missed any',
  plan_notifications:
    'plan work out compute calculate recalculate decide figure out reminders notifications alerts to send coming days month again repeat set up prepare arrange organize when to remind new appointments schedule make sure rethink redo refresh timing replan generate alarms setup',
  cancel_notification:
    'cancel stop skip do not send planned reminder notification alert alarm drop no need to remind ping message suppress leave out unnecessary hold back withdraw delete remove forget that one not necessary silence don’t tell nudge call off today gym without silent quiet about myself',
  acknowledge_notification:
    'acknowledge confirm seen read mark done reminder notification alert stop calling got it know noted understood quit bugging nagging pestering ringing thanks dismiss ok aware handled tick off already received roger enough heard yes shut up alarm off',
  replay_notifications:
    'replay what if would have got past reminders under other settings policy compare backtest simulate different earlier had been last week difference pretend imagine hypothetically try rules on the past instead simulation',
  preview_messages:
    'preview show text wording of a reminder message mail exactly what does it say read agenda digest before change who will be notified if moved word for word',
  snooze_notification:
    'snooze later again repeat remind me in minutes postpone put off delay reminder notification alert alarm ping nudge once more not now after lunch half past another time wait come back tell prod tomorrow instead hour defer hold hit me up busy right',
  test_notification:
    'test try out trial send message mail email phone call ntfy webhook push channel works reaches reach really ring me see if check hello arrive get through connection sample line experiment verify deliver text dry set up properly correctly can you',
  list_outbox:
    'outbox messages written instead of being sent unsent undelivered mails emails letters files never left waiting to go out piled up stuck not gone held back queue no mail server set folder post undispatched pending texts remained lying around would have been',
  list_audit:
    'audit log trail history explanation why notified unnotified told not decided decision who changed moved deleted preferences users events appointment meeting diary happened last night how come called rang reason reminder came did not come late early record activity journal trace blame touched altered know prove proof whoever responsible fault',
  undo_change:
    'undo revert take back last change mistake oops restore previous earlier state calendar person settings plan import series',
  create_token:
    'create make new token access key credential secret password share give grant allow another person program client login scopes permission',
  revoke_token:
    'revoke remove delete withdraw end block token access key credential lost stolen person program client lock out',
  server_status:
    'status health broken problems errors settings in force origin connected clients version diagnostics server anything wrong does not work nothing works trouble faulty up and running fine okay alive slow down crashed healthy configuration setup overview condition doctor yourself itself state fix',
  check_health:
    'doctor diagnose diagnosis check everything works working setup installation broken wrong healthy self-test troubleshoot fix repair disk database codex login clients configured is anything',
  list_activity:
    'activity audit log who did what changed denied refused calls tokens access security history which client was not allowed blocked permission intruder suspicious lately yesterday by whom record of actions',
  load_demo:
    'demo example examples sample data try tour show what it can do how this works made-up fake dummy play around first fill with test pretend explore demonstration experiment get started newcomer see in action learn trial toy beginner introduction',
  remove_demo:
    'remove delete get rid of demo example examples sample data clear away wipe clean made-up fake dummy stuff take out done playing finished trying trial test toy pretend person start for real empty serious tour over erase',
};

/** Words that people use for what a tool does, where its name and description lack them. Only search_tools reads them. */
export const keywords: Readonly<Record<string, string>> = {
  list_prompts: 'list available prompts commands templates library overview',
  search_prompts: 'find look for a prompt about a topic in the library',
  expand_prompt: 'fill in use apply render run invoke a prompt command with input arguments snippet text',
  show_prompt: 'show raw template source file path definition arguments of a prompt before filling it in',
  create_prompt: 'save add store write new reusable prompt template text',
  update_prompt:
    'edit change modify rename rewrite wording title description tags of a prompt better improve',
  delete_prompt: 'delete remove throw away discard erase a prompt',
  prompt_history: 'history versions revisions edited changed by author when earlier deleted prompt log',
  label_prompt: 'version tag release production staging pin protect publish approve prompt',
  test_prompts: 'run tests of prompts evaluate eval check regression judge rubric',
  prompt_usage: 'statistics most used popular unused prompts how often count analytics',
  restore_prompt: 'undo revert roll back bring back recover earlier version deleted prompt mistake',
  lint_prompts: 'check validate verify problems mistakes errors broken prompt template syntax compile',
  import_prompts:
    'import bring load convert slash commands rules files from Claude Code Cursor Gemini into library',
  export_prompts: 'export write download convert prompts files for another program Claude Code Cursor Gemini',
  delegate_run:
    'delegate agent sub-agent codex claude task work investigate explain repository bug fresh context background',
  delegate_resume:
    'continue resume follow-up question same thread earlier conversation sub-agent answer reply',
  delegate_autopilot: 'plan split distribute large big task several jobs agents parallel workers refactoring',
  list_runs: 'list sub-agents agents running now active recent delegated jobs runs',
  show_run: 'show result outcome summary state details of a run delegated finished',
  tail_run: 'follow watch live progress output events latest commands doing moment sub-agent run log',
  collect_run: 'wait finish get answer result of a run sub-agent',
  cancel_run: 'stop cancel kill abort end interrupt terminate running sub-agent agent job processes',
  apply_run: 'apply deliver kept changes of failed run conflict resolved try again',
  undo_run: 'undo revert roll back take back changes files of a run sub-agent',
  clean_runs: 'clean up delete remove old finished runs folders free disk space',
  list_users: 'list people persons members who system registered time zone',
  get_user: 'person profile details preferences time zone address phone quiet hours channel',
  create_user: 'add new person colleague member mail address phone',
  update_user:
    'change person profile preferences prefer channel mail phone call time zone quiet hours do not disturb night',
  delete_user: 'delete remove person and everything planned data',
  list_rules: 'list notification rules apply preferences importance',
  set_rule:
    'add rule important importance priority meetings organized boss travel remind earlier later never always ignore',
  delete_rule: 'delete remove forget drop a rule',
  get_event: 'details of one event meeting appointment location place where time attendees',
  list_events:
    'calendar agenda schedule meetings appointments tomorrow today week free busy take place where when',
  create_event: 'add schedule book plan new meeting appointment lunch dinner calendar put invite',
  update_event: 'move reschedule change edit rename event meeting appointment time location place',
  delete_event: 'delete remove cancel event meeting appointment occurrence series',
  answer_invitation: 'accept decline tentative maybe RSVP reply answer invitation meeting request',
  find_time:
    'find a time slot meeting several people everyone free available availability suggest propose when can we meet',
  get_free_busy: 'free busy availability who is available when occupied',
  import_calendar: 'import load once ics file iCalendar events',
  add_calendar: 'subscribe connect add keep in sync calendar address URL feed CalDAV account Google iCloud',
  list_calendars: 'list connected calendars accounts feeds sync state',
  sync_calendar: 'refresh fetch again reload update sync calendar now out of date stale',
  remove_calendar: 'disconnect unsubscribe remove delete calendar and its events',
  list_notifications: 'list reminders notifications alerts planned sent delivered upcoming status today',
  plan_notifications: 'plan work out compute decide reminders notifications alerts to send coming days again',
  cancel_notification: 'cancel stop skip do not send planned reminder notification alert',
  acknowledge_notification:
    'acknowledge confirm seen read mark done reminder notification alert stop calling',
  replay_notifications:
    'replay what if would have got past reminders under other settings policy compare backtest simulate',
  snooze_notification: 'snooze later again remind me in minutes postpone put off reminder notification alert',
  test_notification: 'test try send message mail email phone call ntfy webhook channel works reaches',
  list_outbox: 'outbox messages written instead of being sent undelivered mails files',
  list_audit: 'audit log trail history why notified decided decision who changed preferences users events',
  server_status:
    'status health broken problems errors settings in force origin connected clients version diagnostics server',
  load_demo: 'demo example sample data try tour show what it can do',
  remove_demo: 'remove delete get rid of demo example sample data',
};

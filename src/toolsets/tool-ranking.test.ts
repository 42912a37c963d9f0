import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createServer } from '../app.ts';
import { loadConfig } from '../config.ts';
import type { Server } from '../engine/server.ts';
import type { Tool } from '../tool.ts';
import { rankTools } from './tool-ranking.ts';

/** Tasks in everyday words for each tool. The keywords were written with these tasks in mind; bench/parts/unseen-tasks.ts has others. */
const tasks = `
list_prompts: what shortcuts have I got? | show me everything in my prompt collection | which canned texts are there | give me an overview of all my saved instructions
search_prompts: is there a saved prompt about cover letters? | find me something in the library for writing emails | I had a template on negotiating, where is it | look for prompts that mention recipes
expand_prompt: :translate good morning | use my meeting summary prompt on this text | run the saved instruction called brainstorm | fill the cover letter template with these details
show_prompt: let me read the wording of the recipe prompt | what blanks does my invoice template have? | open the saved text without running it | what exactly does the weekly prompt say
create_prompt: remember this text so I can reuse it | make a new template from these instructions | keep this wording as a shortcut | I'd like to store a canned reply
update_prompt: reword my thank-you template | fix a typo in the saved instruction | give that prompt a different title | tweak the text of my summary shortcut
delete_prompt: throw out the old poem prompt | I no longer need that canned text | get rid of a saved template | bin the shortcut named draft
prompt_history: how did this prompt look last month? | earlier drafts of my template | what did I alter in that saved text over time | see all past versions of the letter prompt
restore_prompt: go back to the older wording of my prompt | I deleted a template by accident, bring it back | undo my last edit of the saved text | recover the prompt I threw away
lint_prompts: is anything wrong with my templates? | proofread the prompt library for mistakes | check that none of my saved prompts is faulty | find broken placeholders
import_prompts: bring my Cursor rules over here | load prompts from another app | I have a folder of command files to move into the library | take over my old templates from Gemini
export_prompts: I want my prompts as files for Claude Code | take my templates to another program | save a copy of the library in VS Code format | hand my shortcuts over to Gemini
delegate_run: have somebody else look into this bug | let a helper review my code | send an assistant off to research this topic | get Codex to do this job
delegate_resume: ask the helper one more thing | carry on where the agent stopped | the sub-agent was interrupted, let it go on | reply to the question the helper asked
delegate_autopilot: share this huge job among several helpers | break up a big project and do the pieces at once | let a team of agents tackle it | divide the work between workers
delegate_compare: let codex and claude compete on this task | which of two models solves it better | try the same job with several agents and pick the best | hold a contest between helpers
list_runs: what are my helpers busy with? | which jobs did I hand out this week | are any agents still working | show past delegated jobs
show_run: what came out of that job? | how did the helper's job end | details of a finished run | did the agent succeed and which files did it touch
tail_run: what is the agent doing right now? | peek over the helper's shoulder | latest steps of the job in progress | watch the helper work live
collect_run: wait until the helper is done | is the job ready yet? give me the answer | pick up the finished work of the agent | hold on till the run completes
run_statistics: how much money did my agents cost this month? | tokens spent per model | what share of jobs succeeded | how many hours did helpers work per day
create_routine: every morning have an agent read my inbox folder and mail me a digest | let somebody look through the logs each night | set up a webhook that starts an agent | half an hour before every customer meeting let an agent prepare me
update_routine: pause the nightly routine | the weekly routine should run on Tuesdays instead | turn that automation back on
list_routines: which automations do I have? | when does the nightly routine run next | show the history of the morning routine
run_routine: fire the nightly routine now | show me what the routine would send to its agent | try out the automation by hand
delete_routine: get rid of the nightly routine for good | I no longer want that automation
list_agents: which coding programs can you use here? | is gemini installed | am I signed in to claude | what can codex do that the others cannot
cancel_run: make the helper stop | kill that job, it takes too long | the agent has gone wild, halt it | abort what I delegated
clean_runs: tidy up old jobs | clear out finished runs from last year | free up space taken by job records | sweep away stale agent logs
get_user: what is Anna's phone number? | how does Ben like to be contacted | look up Maria's e-mail and quiet hours | show the profile of one person
list_users: who is registered here? | whose diaries do you look after | everybody in the system | how many people do we have on file
create_user: sign up my wife | add a new colleague with her mobile number | register someone so that they get reminders | my brother wants to join
update_user: Anna has a new phone number | don't ring me at night | I moved to New York, fix my time zone | send me texts by mail instead of calling
delete_user: Tom has left the company, remove him | erase a person and all their data | close my account | forget everything about this client
list_rules: which special rules do I have for reminders? | how have I set up who is important | what exceptions apply to Anna's alerts | see the conditions for nagging
set_rule: anything from my boss is important | always warn me half an hour earlier when I must drive | nag me less about the standup | treat mails from the chief as VIP
delete_rule: the boss exception no longer applies, drop it | stop treating Paul as a VIP | get rid of the travel time rule | undo that I get fewer reminders for yoga
get_event: where is the dentist appointment? | who is coming to Monday's lunch | tell me more about that meeting | what is the dial-in link of the call with Sue
list_events: what's on tomorrow? | am I free on Friday afternoon? | what does my week look like | when do I see the doctor next
create_event: put a haircut in my diary for Tuesday | book lunch with Sam | pencil in a visit to grandma | set up a weekly team meeting
update_event: push the dentist back by an hour | the party is at another place now | shift my Monday call to Wednesday | make the meeting longer
delete_event: call off the lunch with Sam | the concert is cancelled, take it out of my diary | scrap the weekly meeting | skip next Tuesday's lesson
import_calendar: read in an ics file from the school | load these appointments from a file just once | someone mailed me a calendar attachment | copy the holiday dates into my diary from a file
add_calendar: link my Google calendar | follow the football fixtures feed | hook up my iCloud account | keep my work diary in step with this one
list_calendars: which calendars are hooked up? | what diaries am I subscribed to | did my Google feed update properly | when was the calendar last refreshed
sync_calendar: my diary is out of date, refresh it | fetch the newest appointments now | the change I made in Google does not show up here | pull the latest from my calendars
remove_calendar: unlink the school calendar | stop following the football feed | disconnect my work account | I don't want the holiday calendar any more
list_notifications: what reminders are coming up? | did the text about the dentist go out? | when will you ping me next | which alerts failed today
plan_notifications: work out when to remind me | set up my alerts for the new appointments | figure out the reminders for next month again | recalculate what to send Anna
cancel_notification: no need to remind me about the gym today | drop that alert | don't send the message at five | skip the reminder for the dentist
acknowledge_notification: got it, stop nagging | I have seen the reminder | yes I know about the meeting, quit bugging me | mark that alert as read
send_message: tell Ada that I am on my way | let Ben know the tests pass | drop Anna a line about the delay | inform my wife that I will be late
snooze_notification: remind me again in ten minutes | not now, ping me later | put that alert off until after lunch | nudge me once more at half past five
explain_notifications: why was I not told about the meeting? | who changed my appointment | how come you called me at seven | what happened in the diary last night
test_notification: can you really reach my phone? | ring me to see if it works | send a trial mail to Anna | try out the push messages
list_channels: how can I be reached? | which ways to notify me are set up | what does an address for a chat look like | which messengers are supported
list_outbox: which mails never left? | letters waiting to go out | show the unsent messages | what piled up because no mail server is set
load_demo: show me how this works with made-up data | I want to play around first | fill it with examples | give me a tour
remove_demo: clear away the examples | I am done playing, take the made-up stuff out | get rid of the sample person and events | wipe the trial data
server_status: is anything broken? | why does nothing work | are you up and running fine | which version is this and who is connected
label_prompt: mark this version of the prompt as the official one | pin the template so nobody gets a newer draft | publish the approved wording of a prompt | call revision 4 of the prompt production
test_prompts: do my prompts still give good answers? | run the tests of a template | grade the output of my prompt | try my saved prompts and see whether they pass
prompt_usage: which shortcut do I use most? | how often was the letter template used | prompts that nobody touches | my favourite prompts by number of uses
apply_run: accept the changes the helper made | put the agent's kept work into my project | I solved the conflict, deliver the job's files now | take over what the failed run had written
undo_run: the helper broke my files, put them back | take back what the agent changed | reverse the edits of that job | roll back a run
replay_notifications: what reminders would I have got with other settings? | simulate last week's alerts under a new policy | compare past reminders with different lead times | what if you had warned me earlier
`
  .trim()
  .split('\n')
  .flatMap((line) => {
    const [tool, list] = [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)];
    return list.split(' | ').map((task) => ({ tool, task: task.trim() }));
  });

let home: string;
let server: Server;
let tools: readonly Tool[];
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'adjutant-ranking-'));
  const { config } = await loadConfig({ argv: ['--home', home], env: { HOME: home }, cwd: home });
  server = createServer('standard', config);
  tools = [...server.offeredTools.values()].map(({ tool }) => tool);
});
afterAll(async () => {
  await server.close();
  rmSync(home, { recursive: true, force: true });
});

describe('rankTools', () => {
  it('names only tools that exist in its tasks', () => {
    const names = new Set(tools.map(({ name }) => name));
    expect(tasks.filter(({ tool }) => !names.has(tool))).toEqual([]);
  });

  it('finds the tool in the first three for 95 percent of the tasks', async () => {
    const missed: string[] = [];
    for (const { tool, task } of tasks) {
      const first = (await rankTools(task, tools)).slice(0, 3).map(({ name }) => name);
      if (!first.includes(tool)) missed.push(`${task}: ${first.join(', ')} instead of ${tool}`);
    }
    expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(tasks.length * 0.05);
  });

  it('ranks a tool first if the query is its name', async () => {
    for (const tool of tools) expect((await rankTools(tool.name, tools))[0]?.name).toBe(tool.name);
  });

  it.each(['zzxqy', '???'])('finds nothing for %j', async (query) => {
    expect(await rankTools(query, tools)).toEqual([]);
  });
});

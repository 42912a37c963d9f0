/** Sentences in which people ask for the tools of routines, the inbox and the server, separated by bars. */
export const serverWishes = {
  create_routine: `
summarize my notes every weekday at seven | let an agent check the logs each night and mail me | prepare me for every meeting half an hour before it
run the tests every morning and tell me what broke | when somebody opens an issue, have it sorted | do this every Monday | automate my weekly report
every morning have an agent read my inbox folder and mail me a digest | let somebody look through the logs each night
set up a webhook that starts an agent | half an hour before every customer meeting let an agent prepare me
each friday at 5 let codex write up what was done this week | from now on, an AI should tidy my downloads every sunday
let claude look at the error logs every night at 3 and report | daily at six: have a bot collect the news into a file
before each interview, get an agent to read the applicant's papers | after every meeting let an AI write the minutes
I want the backup checked by an agent once a week | have the dependencies updated automatically every month
make it a habit: every evening a helper goes through my notes and sums them up | schedule a nightly code review by gemini
on the first of each month an agent should put together the bills | it should happen by itself each day: translate the new texts
regularly have the website tested by one of the AIs | every hour let somebody see if the site is up | set up a recurring job for an agent
an automatic morning briefing written by claude | nightly run of the data script by an agent and a short summary for me
let it run on its own every weekday at 8, without me asking | have codex go through new issues daily
every sunday evening one of the AIs should plan my meals from the recipes folder | I want claude to read the new mails in that folder each morning and make me a list | let an agent sort my scans every night
once a week codex ought to look for broken links on my blog, automatically | an hour before each lesson have an AI put together my material | make a standing order: every month an agent adds up my receipts
after each customer call, let an agent draft the follow-up | at 6 every weekday, let gemini summarise the news folder for me | from monday on, have the tests run nightly by an agent`,
  list_routines: `
what runs by itself | did the nightly job work | why did the brief not come this morning | which automations do I have
when does the nightly routine run next | show the history of the morning routine | what is scheduled for the agents
which tasks happen automatically | what do the AIs do regularly | list the recurring jobs | is there anything that runs every night
when did the weekly report last run | what have I automated so far | did the monday thing run | which of my regular jobs are on hold
everything that starts on its own | the schedule of the bots | which routines failed lately | what kicks off at 7 every day
what do the agents do on a fixed schedule | which standing orders have I given | did the sunday meal plan run | when is the next automatic run | is the link check still going every week | which of the regular things are paused
what have I set up to run automatically | did tonight's job take place | list everything that repeats by itself | how did the automatic runs go last week | are there any routines for the blog | at what time does the morning list get made`,
  update_routine: `
stop the nightly report for now | let the morning brief come at eight instead | turn that job on again | pause the nightly routine
the weekly routine should run on Tuesdays instead | turn that automation back on | put the friday summary on hold while I'm away
the daily news thing should run at 6, not at 7 | suspend the automatic cleanup | the nightly check must also look at the disk, change its task
resume the morning briefing | move the recurring report to thursdays | I'm on holiday, the weekly job can rest until I'm back
let the regular review be done by claude instead of codex | the automatic job shall mail Ben from now on
only on weekdays please, that nightly thing | freeze the log check for two weeks | switch the routine off for the moment
start the paused automation up again | change what the evening job does | every two weeks is enough for the report that runs by itself
the meal plan should come on saturdays instead | stop the link check for a while | let the nightly sorting rest this week | the morning list is too early, make it 8 | start the weekly bill thing again
the sunday job should use gemini from now on | change the routine so that it also looks at the drafts folder | take a break with the automatic summary until september`,
  delete_routine: `
I no longer need the weekly report | get rid of that nightly job | get rid of the nightly routine for good | I no longer want that automation
remove the automatic morning briefing | end the recurring cleanup forever | delete the routine that reads my logs
the agent does not have to check the site every hour any more | cancel the monthly bill thing for good | scrap the job that runs each night
that automatic summary never helped, throw it out | stop doing the daily report, permanently | nobody reads the friday overview, kill that routine
the thing that runs every morning can go
the link check is no longer needed, remove it for good | no more automatic meal plans | I don't want that morning list ever again | the standing order for the receipts can be deleted | drop the weekly agent job`,
  run_routine: `
do the nightly check right now | show me what the morning brief would be told | fire the nightly routine now | try out the automation by hand
show me what the routine would send to its agent | run the weekly report immediately, I can't wait till friday | start the scheduled job early
trigger the morning briefing once more | I want tonight's job now | kick off the routine for the logs | do the regular cleanup today, not on sunday
launch the automatic review this minute | let the daily thing run an extra time | go through the monthly bill routine now
please execute the recurring backup check at once | can we have the news digest now instead of tomorrow | a test run of the routine
don't wait for monday, start the report job
make the meal plan right now, even though it isn't sunday | do the link check at once | I can't wait for tonight, sort the scans now | let the morning list run again, out of turn | bring the monthly receipts job forward to this moment
start the weekly thing immediately | fire off the nightly job by hand | please run the standing order for the blog today as an exception | let's have the automatic summary straight away`,
  list_inbox: `
what needs me | is there anything waiting for my decision | what have I missed | show me my inbox | what should I do next | is anything open that I have to answer
do I have to decide something | what's waiting for me | anything I need to take care of | what did I overlook | is something blocked because of me
which things need my attention today | questions for me? | catch me up | what is pending on my side | what's on my plate
are there invitations I haven't answered | anything that went wrong and needs me | what's left for me to approve or answer
give me a rundown of everything that's waiting | is everyone happy or does somebody want something from me
who or what is waiting for me | what's new since yesterday that I should look at | do you need anything from me
open points for me | is there unfinished business | am I holding anything up | anything urgent
is there anything I should react to | what's lying around waiting for me | do I owe anybody an answer | which things can't go on without me | anything on my desk | what do I have to deal with today | tell me what's open
is someone or something stuck until I answer | what came in that I need to decide | have I overlooked anything`,
  dismiss_inbox: `
I don't care about that any more, take it off the list | hide the calendar conflicts | never mind that invitation | clear my inbox
remove that failed job from what's waiting for me | that one is settled, away with it | don't show me the old question again
I've dealt with it, hide it from my list | take the undelivered message out of the things that wait | dismiss all of it
the warning is old news, I don't want to see it | strike that entry from my inbox | ignore the conflict on friday, I know about it
get that off my plate | swipe it away | mark the item as handled | the overdue thing doesn't matter, drop it from the list
empty the list of what's waiting | bring back what I dismissed | that failure is history, let it disappear from there
I no longer want the notice about the calendar in my list
I've seen the failed job, take it out of my inbox | that question is no longer relevant, remove it | hide the thing about the overlapping appointments | clear that from the things waiting for me
I know about the failed message, don't list it any more | the overdue task can vanish from the list | drop the point about the calendar from my open items | tidy up what is waiting, the old ones can go
take that note off the list, it's settled | I don't need to see that error again`,
  check_health: `
check whether all is set up correctly | is something broken | do you have enough disk space | run a check of yourself
are you feeling alright | do a self-test | is all configured properly | diagnose the installation | are you healthy
make sure everything is in working order | does anything need repair | is the database all right | give yourself a once-over
check if all parts work | any trouble with the setup
please examine yourself | is there anything misconfigured | do a full check-up of the system | have all parts been set up right | look whether something's wrong with you`,
  server_status: `
who is connected right now
which devices can get in | why does nothing work
are you up and running fine | which version is this and who is connected | how is the server doing | is the system up
it's so sluggish, what's the matter | any errors on the server | is the thing online | what settings are in force | since when have you been running
what's the state of the system | are there problems at the moment | is it working | status please | everything ok over there
which programs are connected to you | are you still alive | it hangs all the time, is it down | technical problems?
is the whole thing running properly | are you there | everything fine with the system? | it takes ages today, what's wrong | is there some fault at the moment | how are you doing, technically
does everything run as it should | it doesn't respond, is there a problem | are all parts of you up`,
  list_activity: `
who did what yesterday | show me the latest changes | did anybody change something
what has been done in my name | who deleted my appointment | what did you do today | who changed the letter template
somebody moved my meeting, who was it | who edited the guest list and when | protocol of all changes this week | the activity log
which changes did my colleague make | was anything altered last night | who has been messing with my prompts | was there an access that was refused
what was modified since friday and by whom | list everything that was changed | trace who removed the event | who touched my stuff
which program made that change | audit trail please | show who did it | what has happened lately in here
did someone get in who shouldn't | when was the phone number changed and by whom
who has been in here and changed things | my contract text looks different, who did that | somebody deleted the concert, who was it and when | what has been changed since yesterday, and by whom | who added Omar
I'd like to see a record of who did what | which of us moved the physio | did anybody fiddle with my settings | show me the log of changes | who was the last to edit the meal plan | has someone else been using this`,
  load_demo: `
show me what you can do with some examples | I'm new here, give me something to play with | put in some sample data
show me how this works with made-up data | I want to play around first | fill it with examples | give me a tour
fill in some fake things so I can look around | an example for everything please | make me a demo | I'd like to try all this without real data`,
  remove_demo: `
take the examples out again | I have seen enough of the sample stuff, clean it up | clear away the examples
I am done playing, take the made-up stuff out | get rid of the sample person and events | wipe the trial data
the demo stuff can go now | delete the fake person and what belongs to her | I've tried enough, take the sample data out`,
};

/** Sentences in which people ask for the tools of agents and their runs, separated by bars. */
export const runWishes = {
  delegate_run: `
have somebody fix the login button on my website | can someone else look over this change | write tests for my little program
let a helper review my code | have somebody else look into this bug | send an assistant off to research this topic | get Codex to do this job
ask claude to add a search box to the shop | I want an agent to sort my photos into folders by year | let one of the AIs clean up the downloads directory
hand this over to Gemini: translate the manual in docs | somebody should fix the broken links in my homepage
put an AI on the failing build | please let a robot rename all those files | get another pair of eyes on this pull request
outsource the boring part: convert the spreadsheets in that folder | can one of your helpers rewrite the readme
have the thesis references corrected by an AI | I don't feel like doing it myself, let an agent make the slides in ~/talk
delegate the refactoring of the parser | tell codex to upgrade the dependencies of the project | start a job: find out why the tests hang
could a bot go through the logs in /var/log and tell me what is odd | spawn a sub-agent that writes the documentation
build me a small website for the choir in that folder | let an AI count the words in my book chapters
get someone to check the contract in my documents folder for traps | have gpt look at this repository and explain it
let claude code implement the export button | I need a script that renames my mp3s, let an agent write it
give the task to a worker and spend at most two dollars on it | assign this to codex | who can do this for me, put somebody on it
set an agent to work on the bug in the checkout | let a specialist look at the security of my app
have the accounts in that folder added up by one of your helpers | make an agent draw up a plan from the notes in my project
I'd like a second opinion on this code from another model | get the typo on the start page fixed by somebody
ask a different AI to proofread my novel in ~/novel | let a machine do the tidying of my desktop folder
could an AI look through my contracts folder and list all the deadlines | let codex find out why my program crashes at the start | I want somebody to translate the readme in my project into French
please have the pictures in ~/holiday made smaller by one of your agents | get claude to write a shop page for my candles | somebody ought to tidy my notes folder, give that to an AI
have an agent work out my expenses from the receipts in that folder | put gemini to work on the css problem | order an AI to check the links in my blog folder | let one of them write a little game for my kids in ~/game
can you pass this job on to a helper: rename all scans by date | my code is a mess, let an agent straighten it out | I'd like qwen to draft the manual in the docs folder
search the whole project for passwords, an agent can do that | let something else do the boring conversion of these files`,
  delegate_resume: `
ask the helper one more thing | reply to the question the helper asked
the sub-agent was interrupted, let it go on | carry on where the agent stopped | now that it built the page, let it add a contact form as well
tell the one who did the report to also make a chart | continue yesterday's job, next step: the tests | same agent, follow-up: explain your fix
pick the work up again and finish it | the thing it made this morning is good, but it should have a menu too
go on with the last task and do part two | let it keep working on the website from yesterday | resume the interrupted job
ask the agent from before to do the same for the other folder | it ran out of time, let it finish | another round with the same helper, please add comments
and now let it translate what it wrote | the earlier one knows the project already, give it the next task
let it have another go with what it learned | proceed with the migration where we left it
in the same conversation, have it write a changelog | get it to also fix the tests it forgot | extend what codex did with a settings page
the flyer it made is great, now one in English too | do the rest of that job | keep going with the work of last night
I have one more wish for the agent that did the shop | answer its question and let it continue
the agent that made my website should now add a gallery | same one as yesterday, now please do the second chapter | ask whoever wrote the script to make it faster as well
now let it write tests for what it did | get the helper from last night back and let it fix the small mistake | continue the translation job with the next document | what it did is fine, the next step is to upload it
the one with the thesis isn't finished, let it carry on | let codex continue where it left off this morning | go on with that: now the mobile version | I've got a further question to the one who looked at my contract
it broke off because of the power cut, let it go on | the report needs a conclusion, have the same helper add it | and after that it should also clean up`,
  delegate_autopilot: `
share this huge job among several helpers | break up a big project and do the pieces at once | let a team of agents tackle it
divide the work between workers | this is too much for one, split it up | put a whole crew on the rewrite
plan it and let a few of them work in parallel | the complete redesign, distribute the parts as you like
make a plan for the big migration and have several agents carry it out | many hands: update all forty modules
cut the task into bits and hand them out | I want a bunch of AIs on this, each with its own part | organise a team for the new app
let them divide the chapters among themselves | it's a monster of a job, you plan it and they do it
translate the whole site into five languages, several at the same time | get a squad to build it, front end and back end
big cleanup of the code base, use as many as you need | on autopilot please: the full conversion to typescript
work out the steps yourself and let different agents do them | coordinate a group of helpers for this
build the entire shop, split between agents | parallelise this work | let multiple agents each take a piece of it
a large project, figure out who does what | gang up on this task | chop it up, whatever way makes sense, and run the parts side by side
a big thing: the shop, the blog and the app all need the new design, share it out among several agents | you decide who does what, but I want the entire documentation rewritten
let a handful of AIs do the move to the new database together | plan this out, cut it up and let a whole team work on it | it's too large for a single agent, get several going
three months of work, divide it into parcels and let them loose | set a group of agents on the old code, each one a module | organise the whole relaunch with as many helpers as it takes`,
  delegate_compare: `
let codex and claude compete on this task
which of two models solves it better | try the same job with several agents and pick the best | hold a contest between helpers
give it to both and compare | ask three AIs to write the same function and tell me the winner | let Gemini and Codex both do the logo and I choose
run the task twice with different models, I want to see the difference | a race between agents: who writes the faster script
have all of them solve it and judge the answers | pit claude against codex | who does this better, gemini or claude, let both try
same question to every agent, then put the results next to each other | get two solutions from two agents | bake-off of the agents on this bug
let several do it independently and take the best one | do it with each of them and see whose tests pass
I'd like rival versions of the same page from different AIs | head to head: both write the poem, you pick
test which AI is best at this job | compare how codex and qwen would fix it | two attempts by two agents, keep the better
I can't decide who is better, let codex and gemini both write it | have two of them do the logo page and show me both | same job for all the agents, the best result wins
let claude and qwen each have a try and tell me which version you'd take | make them compete for the best slogan page`,
  fork_run: `
try again from before it went wrong | let it do the same from that point but another way | branch off from the second step
start over from the middle of that job with a different idea | what if it had used another library, try from there
go back to turn two and take another path | make a variant of that run without throwing the first away
split off from here and try plan B | rewind the agent to before the refactoring and let it do something else
go back to where it read the files and try another approach from there | take the run as it was after the first step and do it differently | copy that run and continue the copy with a new idea`,
  list_agents: `
what agents do you have | can I use a local model for that | which coding programs can you use here
is gemini installed | am I signed in to claude | what can codex do that the others cannot | which AIs do I have at my disposal
who can work for me | what helpers are there | is Claude Code ready to go | which robots are available on this computer
do you have access to codex | can qwen be used here as well | list the agents | is any AI set up that could do work for me
which of them is logged in | what models can I choose for the work | who's on the team | do I need to install something before an agent can work
whom could I send to work on code | is opencode one of the options | what's the difference between the agents
are all the agents working or is one not signed in | name the AIs I could hand a job to
what kind of AIs can you put to work for me | is there anybody else besides codex | which helpers are set up on this machine | can claude do jobs here or is it not installed | who could do the programming`,
  run_statistics: `
how much money have I burned on the helpers this month | what do the agents cost me | how many tokens did we use
how much did my agents cost this month | what share of jobs succeeded | how many hours did helpers work per day | tokens spent per model
what's the bill for the AIs so far | which agent is the most expensive | how much have I spent on codex since January
total up the time the bots have worked | my spending on jobs last week | cost overview | is claude cheaper than codex for me
how many jobs failed in the last month, in percent | give me the figures for the boss: tokens, euros, hours
the expenses for AI work, per day | what have all those tasks cost together | did we go over budget with the agents
statistics about the agents' work | how much time do they need on average | what did the workers swallow in tokens
am I spending too much on this | numbers on agent usage | where does all the money for AI go
what has all this AI work cost me up to now | how expensive was claude last month | how many tokens went through this week | how long were the agents busy in total | give me a bill of what the bots have used
what do I pay for the helpers on average per day`,
  list_runs: `
how far along is it
what did that one task cost me | what are my helpers busy with | show past delegated jobs | are any agents still working
which jobs did I hand out this week | what is going on at the moment | is anyone working on something | what's still in progress
what did the agents do yesterday | list all jobs | the tasks of last week and how they ended | are they done
is the website job through | which tasks have failed | what have the bots been up to | anything still running
show me the queue | how many are at work now | did all the jobs from last night finish | what's cooking | is codex still on it
status of all my jobs | what has been done by AIs in the shop folder | which run was the one about the invoices
what did I have them do on monday | are the workers idle | the latest runs please | everything claude did this month
which things I gave out are not finished yet | any job stuck | who's busy | what's in the pipeline
how's it going with the things I gave to the AIs | which ones are still at it | has everything from yesterday been finished | show what the helpers have been working on since monday
did the conversion I ordered last night come to an end | is claude done with the shop | what are they doing just now, all of them | which of my orders are still running
I'd like an overview of the work I've handed out | any of the agents finished yet? | give me the list of everything codex has done for me | what's the state of play with my jobs
how many tasks are going on right now | what was that job last week about the database | did one of them crash | which jobs ended badly | is the translation through yet
are they all finished for today | what work is going on in my thesis folder | look whether the backup thing the AI was doing has ended | what have I given them to do recently`,
  show_run: `
what came out of that job | how did the helper's job end | details of a finished run | did the agent succeed and which files did it touch
show me the result of the bookkeeping task | what did codex find out | what exactly did it do, step by step
open the last run | the report of the agent please | what were the open questions after the job | summary of what claude did for the shop
tell me about the run of last night | how did it go with the photo sorting | what has the helper delivered
why did that one fail | go through the garage job with me in detail | what was its final answer | which commands did it run
what was the outcome | give me the full story of this run | did it finish properly and what did it make
let me see what the research job found | how long did it take and what did it cost, that one job
what did the agent write in the end | look at the failed job and tell me the reason
how did the thing with the photos turn out | what did it say at the end of the thesis job | tell me what codex did in the shop folder, in detail | I'd like to read its report on the bookkeeping
what exactly happened in the last job | which files came out of the translation job | explain to me what the agent did with my website last night | what's the result of the research on heat pumps
give me the particulars of that one run | why did the conversion break off | let me see how claude went about it, every step | was the last task a success, and what did it leave behind
what did they find wrong with my code | I want to know all about the failed one | what did the job cost and how long did it take`,
  tail_run: `
how far along is the robot | what is it doing right now | is it stuck or still working | peek over the helper's shoulder
latest steps of the job in progress | watch the helper work live
show the last lines of what it's doing | follow along with the agent | which step is it on | what has it been doing for the last five minutes
the live log of the job | any movement in the job | at which file is it now | tell me its most recent actions
how is it getting on | let me watch | is it making progress | stream what the agent says
what's happening in there right now | which part is the agent at | is it doing anything at all or has it frozen | let me see live how it works on the shop | what was its last move
show me the recent output of the running job | keep me posted on what codex is doing at the moment | where has it got to | is it still thinking`,
  collect_run: `
is my result there | pick up what the agent finished | wait until the helper is done | is the job ready yet? give me the answer
hold on till the run completes | pick up the finished work of the agent | tell me as soon as it is through, wait for it
stay with it until it finishes | get me the answer when the agent is ready | let me have what the background job produced
wait for codex and then go on | has the job I started come back with something | fetch the outcome of the running job
bring me the finished thing | don't go on before the agent is done
stay on it until the job is done and then tell me what it says | I'll wait, give me the result when it's there | has it come up with an answer, then hand it over | get the finished translation from the helper
let's wait for the agent to finish`,
  cancel_run: `
call off the job | it should stop working on that | I changed my mind, it need not go on | make the helper stop
kill that job, it takes too long | the agent has gone wild, halt it | abort what I delegated | stop it right now
pull the plug on the agent | it's breaking everything, stop | end that run | cancel the task I gave to codex
no no no, stop what you're doing there | shut that bot down | it's been going for hours, kill it | forget it, the agent can quit
the job is pointless now, abort | terminate the robot | break it off | the thing is running amok, make it stop
whoa, stop the agent before it deletes more | enough, end the job | that task is not needed any more, cancel it while it runs
drop what the helper is doing | quit the running task | it is burning money, stop it
it's messing up my photos, make it stop at once | break off the thesis job | claude doesn't have to go on with that | end what codex is doing right now, please | stop the helper, I've found the answer myself
I gave the wrong order, call the agent back | that job has been running since yesterday, kill it`,
  steer_run: `
tell it not to touch the database, only the layout | it's going in the wrong direction, tell it to do something else
give the working helper a hint | let it know that the file has another name | say to the agent that it should hurry up
tell the agent to use the other library | send a message to the one that is working | it misunderstood me, correct it
let the bot know it should skip the tests | remind the agent that the deadline is today | the running one should write in English, tell it
pass on to codex: keep the old button | change of plan for the one working on the page, make it red
say to claude that the password is in the env file | whisper to it that it must leave main.py alone
redirect the worker, the header first | it should stop asking and just do it, tell it so | give it new instructions while it works
the helper on the poster: bigger letters please | inform the agent in the middle of its work that the api has moved
nudge it in the other direction | interrupt it and say that the file is wrong | hey agent, use tabs
tell it to forget the footer and do the menu
tell the agent on the shop that prices need two decimals | codex should use python 3, let it know while it's running | it must not rename my files, tell it quickly
say to the one doing the photos that it should skip the ones from 2012 | could you let the helper know that I prefer a dark background | the worker should concentrate on the login first, pass that on
correct the agent: the customer's name is Meier with an i | it is on the wrong track, give it a push in the right direction | give the running job one more piece of information: the server is called oak
tell claude to slow down and ask before deleting | I forgot something, tell the agent it also has to support phones | let the robot know that the pictures are in the other folder
message to the agent: no more comments please | tell it I'd rather have a list than a table | please pass this on to the one who writes the report: only two pages`,
  list_approvals: `
is someone waiting for my permission | what do I have to allow
which agent wants permission | what are the helpers asking for | does any of them need my ok | is there a request I must decide
does a robot wait for me | what does codex want to be allowed to do | show the open permission requests
an agent is blocked, what does it ask for | is there something to approve | who is waiting for a yes from me
does claude want to run a command | pending approvals | are they asking whether they may do something
what command does it want to execute | what's the agent's request | anything I must say yes or no to
has one of them asked for my consent | does claude need a permission from me | is an agent standing still because I have to say yes | what would codex like to do, and may it? | are there requests I haven't answered
anything the agents aren't allowed to do without me`,
  answer_approval: `
no, it may not do that | allow it this once | let it go ahead with the command
yes go ahead | permit it | it is allowed to delete the temp files | don't let it do that | refuse the request of the agent
grant the permission | I say no to the download | okay, it can run npm install | approve what codex wants | deny it
give it the green light | it must not touch the network, refuse | fine, let it push | thumbs up for the command it asks about
it can have access to that folder | forbid it to run the script | yes, and also for the rest of the job
no way, it stays away from my keys | that's ok with me, it may proceed | permission granted | reject what it's asking
let it write to the folder it asked for | I don't allow the agent to go online | tell the bot it's not allowed
sure, it may use the internet for that | answer the agent: not permitted
ok, claude may run that | let it have the internet for this | it's not allowed to delete anything, tell it no | yes, codex has my permission | I agree, let it use the database | no, don't let gemini send mails
say yes to what the agent wants to do | go ahead with the install, that's allowed | denied, it shall not change the settings`,
  diff_run: `
show me exactly what was changed before anything goes in | which lines did it change | let me see the difference
what would the agent's work change in my files | which files did the agent touch and how | show the changes of the run
compare before and after of the job | the diff please | what did it add and what did it remove
I want to check the edits first | line by line, what's new in the code from codex | what has it altered in the config file
let me review what claude did to my code | red and green view of the changes | how does the file differ from before the job
before I take it over, show what's different | what modifications did the helper make | which parts of my text did the AI rewrite
what precisely did it do to the files of the shop | show me the old and the new lines | which files has codex changed in the thesis folder | I want to read through its edits before I accept | what's been altered by the job`,
  apply_run: `
yes, take its work over | use what it made | accept the changes the helper made
put the agent's kept work into my project | take over what the failed run had written | I solved the conflict, deliver the job's files now
copy the results of the run into my folder | I like it, merge it | its edits are fine, bring them into the real files
go ahead and apply what codex did | make the changes real | keep the work of the agent | I accept the result, put it in place
ship what the helper wrote into the repository | the fix is ok, into my code with it | move the new files of the job to my directory
adopt the changes | use the solution of claude in the project | great work, add it to my project
deliver it | finalise the agent's edits in my folder | only take the two css files from its work
I've had a look, it's fine, copy it into my project | take over what claude made | yes, I want these changes | put the new version of the shop in place | let the agent's work become part of my folder
good job, use it for real now | the translation can go into my folder as it is`,
  undo_run: `
since that last change nothing works, put it back the way it was | take back what it did to my files | I don't like what it changed, revert it
the helper broke my files, put them back | take back what the agent changed | reverse the edits of that job | roll back a run
undo the work of codex | the agent ruined my code, restore it | get my old files back, before the bot touched them
I want everything like before the job | throw away what it put in my folder and bring back mine | the merge was a mistake, out with those changes again
return my project to the state before claude worked on it | unapply the run | that fix made it worse, undo it
the site is broken since the agent's change, back to the old one | remove the AI's edits from my project again
restore the files that the helper overwrote | it deleted my notes, bring them back | reset what the run did
what codex did to my website is awful, take it all back | I want my photos back as they were before the agent touched them | reverse everything from the last job | put the thesis folder back to how it was
please remove the changes that claude made to my project yesterday`,
  clean_runs: `
tidy up the old jobs | throw away the leftovers of finished work | make some room on the disk | clear out finished runs from last year
free up space taken by job records | sweep away stale agent logs | delete jobs older than a month | the disk is full of old agent stuff, clean it
get rid of the remains of past tasks | remove old runs | the list of finished jobs is far too long, shorten it
wipe the archives of the agents from before summer | do some housekeeping with the finished work | keep only the last ten jobs
purge the old results of the bots | how do I get space back, delete what the helpers left | clear the history of runs
dump the old job folders | I don't need last year's agent logs | spring cleaning for the runs | erase ancient tasks
my disk is getting full, throw out what the agents left behind | delete the old work folders of the helpers | everything from jobs before easter can be deleted | clear away the rubbish from past jobs
make space, remove finished runs older than a week`,
};

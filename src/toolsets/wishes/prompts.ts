/** Sentences in which people ask for the tools of prompts and skills, separated by bars. */
export const promptWishes = {
  list_prompts: `
what templates do I have here | show me everything I have saved | list all my saved texts and skills | which canned texts are there
give me an overview of my collection | what have I put in my library | all my prompts please | what shortcuts can I use
what can I type after the colon | which commands are available | show the whole library | what is in my prompt box
how many templates have I got | name all the snippets we have | what instructions did I store so far | list my favourites
which ones did I star | what is in the folder for work | show me what is saved under school | let me browse my templates
which skills are there | print a table of my prompts | what's on the menu | give me a list of the stuff I keep for reuse
which of my prompts are about work | what did I collect over the years | I forgot what I have saved, show all of it
every ready-made text I own | read me the names of my templates | just list them | which standard replies exist
what kinds of texts do you have in stock | the full catalogue please | let me see my prompt library | my saved messages, all of them
what boilerplate is available to me | do we have any snippets at all | show everything in my prompt collection
can I see all the recipes for texts that I stored | what ready-to-use wordings are in there
what have I got saved in here | give me the names of all my stored texts | run down the list of my prompts | what is there to choose from
tell me every template we have | I'd like to see all my ready-made texts in one list | which prompts do we own | what's in the library these days
everything in the folder Garden | just show the starred ones | how big is my collection of texts | let me scroll through all my templates
enumerate the prompts | are there any texts saved yet | what can I pick from | I want the complete list of the things I've stored for writing`,
  expand_prompt: `
use my summary thing on this text | apply the email helper to what I paste here | do the usual thing with this article
write it with my template | run my text for these three products | fill in the invitation with Anna, Saturday, 8 pm
take the reply for complaints and put in order 5513 | :translate good morning | :standup | run the brainstorm command on this idea
I need the cover letter text for a job at the bakery | use the rejection letter for Mr Klein | give me the birthday wishes one for grandma
fill out the form letter with these details | do my weekly report prompt | let's do the interview questions one, the position is a nurse
pull up the absence note and put my son's name in | get the quote template ready for customer Maier, 3 windows, white
same text as always for the new guest, arrival friday, room 4 | write the reminder of payment for invoice 202, second time
I need my out of office text, back on the 5th | please do the proofreading routine on this paragraph | insert the client's name into the welcome letter
make the standard thank-you mail for Ms Ortiz | take the meeting minutes form, attendees Kim and Lee, topic budget
give me the handover text for the night shift with these values | use the saved instruction for translating on this letter
execute the tidy-up prompt with this code | fill the blanks: name Ben, place Hall 2 | run that snippet with the text from my clipboard
apply the checklist template to our move | do the thing I call lesson plan, grade 4, fractions | compose the apology using my stored wording
one more time the product text, now for the red chair | start the code review prompt on this function | my usual sick note, from tomorrow until friday
produce the customer greeting in Spanish with the saved text | invoke the research shortcut with tidal power
get me the newsletter intro filled in for May | I want the template with Jonas and maths in it | use my standard answer here
summarise this with the prompt I saved for that | recite the toast for weddings with the names Tina and Max
please take my complaint letter and put in the name Huber and the broken washing machine | fill in the tutor prompt: subject physics, age 14
I want to use the parents' letter now, class 5b, trip to the zoo on friday | make me the sales mail with our new product Alpha | get my lesson plan text ready for decimals
use the review reply for a guest who found the room too cold | go and get the contract text with these names: Wu and Sons | prepare the birthday text for Aunt Rose, she's turning 80
the usual invoice mail, customer number 88, 250 euros | put these three points into my report template | let's have the fairy tale one with a dragon and a baker
I need my complaint text for the phone company | could you do the summary one on this article | can I have the job advert text for a cook, part-time
bring up my care handover text for room 7 | with the standard order mail, order 200 sheets of paper | write the condolence card from my template for the family Berg`,
  search_prompts: `
do I have something saved for this kind of letter | find the one about apologies | is there a template for a wedding speech
show me everything I collected that has to do with travel | where is my text for angry customers | did I ever keep something for job interviews
I had a template on negotiating, where is it | look for prompts that mention recipes | find me something for writing emails
what was the name of that prompt with the haiku | anything in my library about taxes | which of my texts deals with complaints
I'm sure I once wrote an instruction for minutes, dig it out | search my snippets for SQL | got anything for lesson planning
is there something in there for speeches | locate the one that turns notes into tasks | have we got a canned text for late payments
I need a prompt that helps with naming things, do we have one | hunt for the wording about refunds | which template talks about privacy
anything saved that helps me say no politely | look up whether there is a skill for pdf files | something for product descriptions, is that in there
can't remember what it was called, the one for summarising calls | do I own a prompt about gardening | where did I put the text for the landlord
find templates tagged legal | there must be something about onboarding in my collection | which saved text mentions the warranty
is there one for translating | have I stored anything to do with meditation | find a suitable template for a condolence card
do we already have a snippet for this | search for bedtime stories | what do I have on marketing | got something ready for bad reviews
didn't I save a text like that before | find that thing I wrote about invoices
I know I have something on complaints, look it up | have we any text about school trips | which of my prompts is about physics | find the thing I use for thanking people
is there something saved about moving house | any template that would help me write to the tax office | where did I keep my text on pregnancy leave | I'm after a prompt that makes titles
something about bikes, I think I stored that | got a template for rental contracts in there? | hunt down the one with the riddle | could there be a saved text on job adverts`,
  organize_prompt: `
sort my templates into folders | mark it as a favourite | move it into the folder for work | group the ones about school
star this one so I find it faster | put all the cooking ones together under one name | pin the letter template to the top
unstar the old one | it's one of my favourites, remember that | make a folder for private stuff and put the poem prompt there
file the greeting under customers | bookmark that prompt | I use this one all the time, keep it at hand | tidy my collection into groups
all the mails belong in one drawer | drop the essay helper in the university folder | give the best three a star
take it out of the folder | the recipe ones should live together | put a heart on the summary prompt | categorise my snippets
favourite the translation one | it should be at the very top of my list | arrange my texts by topic | my sales stuff goes in one folder called shop
clean up my library, school things here, work things there | remove the star from the invoice one | like this prompt
keep this one up front so I always see it first | shove the old ones in a folder called archive | collect the garden prompts in one spot
bundle everything for the club in its own place | mark as important so that it stays on top
I want the shift report one in my favourites | the essay helper belongs to the school things | make the apology text a favourite so I don't have to look for it
put the three letters to customers into one group | please sort the cooking texts into a folder | all of the garden ones together please | stick the tax prompt in the finance folder
give the invitation a star | could you keep the medical ones separately in a folder | move my poems over to the private folder | I'd like a folder named Clients with the offer and the invoice text in it
mark the reply to reviews as one I like best | highlight the standup prompt, it's my favourite | keep the interview text pinned | file all my texts for the choir under music`,
  prompt_usage: `
what prompts does nobody touch | how often did I use the letter one
which shortcut is the most popular | my top ten prompts | when was the summary prompt last used | statistics of my library
are there templates I never use | which texts get used a lot | how many times have I run the translation thing
rank my prompts by how often they are used | what do I reach for every day | which snippets are gathering dust
is anybody still using the old greeting | what is my number one prompt | show the usage of my templates
which ones are worth keeping, by use | count how often each prompt ran this month | what do people in the team use most
dead wood in my collection, what has not been used for a year | most frequently used texts | do I ever use the poem one
the hit list of my templates | which prompt have I relied on most lately | usage numbers please
what gets the most mileage in my library
what do I use day in, day out among my texts | how popular is the tutor prompt | is the apology template used at all any more | which of them are my most loved ones
tell me what gets used and what doesn't | how often do my people use the welcome text | what were the most used templates in may | did anyone use my newsletter prompt this year
are there dead prompts nobody has opened in months`,
  show_prompt: `
what blanks do I have to fill in for the invitation | let me read the text of the recipe prompt | show me the wording of the welcome mail
what exactly does the weekly prompt say | open the saved text without running it | which details does the cover letter one need
show the code review prompt with everything that belongs to it | what does my summary template look like
what arguments does it take | display the whole instruction called brainstorm | read out my apology template to me
I want to see what's written in the newsletter one | which file does the translate prompt come from | details of the prompt greet
what is inside the meeting notes skill | let me have a look at the handover template | who wrote the sales pitch prompt and what's in it
print the source of the prompt | show me this one in full | what do I have to put in for the quote template
is there a field for the address in the letter template | how is the report prompt worded right now | just show it, don't run it
open up the interview one so I can check it | the exact words of the reminder letter please | which placeholders are in there
I'd like to read the farewell text before I use it | view the template | what was the text of the one for refunds again
what is the description of the haiku prompt | peek into the translate snippet | get me the raw template text
what does my complaint text look like at the moment | read me the invitation template word for word | I want to see the sales mail before I send it off
can you show me how the homework prompt is written | let me look at the one for product names | what's the exact text in my thank-you template
how many gaps does the contract text have and what are they called | open the marketing one, I only want to look | show the full version of the farewell speech text
what do you need from me to fill in the lease template | which questions does the interview one ask | let me check the wording of the apology
what's in the "boss summary" | display my recipe one with all its fields | tell me what the translation prompt says, letter by letter
give me all details about the review prompt: text, author, blanks | I'd like to see my out-of-office text | what information does the report template want
show what stands in the welcome text | see the prompt called tutor in full length | what was in the onboarding text again`,
  create_prompt: `
save what I just wrote as a template to use again | remember this so that I can use it next week | keep this wording for later
make me a new skill that checks a text and shortens it | turn this into something reusable | save this under the name weekly
make a copy of the template and change it for other people | store this instruction so I have it tomorrow
I want to use these words again, put them in my library | add a new prompt that explains code to beginners | new template please: Dear X, thanks for Y
keep that text, call it standup | write that down as one of my shortcuts | make a snippet out of this | let's make a reusable text for refunds
that worked well, hang on to it | create a template for bug reports with a blank for the version | I type this all the time, make it a command
I'd like a canned reply for late deliveries | put this in my collection as polite refusal | store the following as a prompt named poem
so good, don't lose it, I'll need it again | build me a template for lesson plans | set up a new instruction for translating into Dutch
add this to my saved texts | record this wording as boilerplate | bottle this for next time | file this away as a new template
make a skill which knows our style rules | memorise these instructions under tone | have a shortcut :bye that says goodbye
I came up with a great text, keep it | from this mail please make a form letter | could you keep this as a standard answer
save it as a recipe with a blank for the number of guests | create a new text block for offers | note this prompt down for me
I'd like to have that as a template from now on | keep this text for the parents' letters, it has a blank for the date | make a prompt called quiz that asks me ten questions
please memorise how I want my reports and name it report style | save the reply you've just written, I can use it for other customers too | add a text for rental offers to my collection
I need a new reusable text for job adverts | can you store this riddle prompt for me | write this on my list of standard texts | new one: "explain it to a five-year-old"`,
  update_prompt: `
change the greeting in my letter template | add a line to my summary template that asks for sources | rename the email helper
the template should always answer in German from now on | make my text shorter for good | fix the typo in the invoice text
reword my thank-you template | the template sounds too stiff, make it friendlier and keep it that way | give that prompt a different title
tweak the text of my summary shortcut | in the welcome mail replace the old phone number by the new one
my offer text should mention the discount | the translation prompt must be more formal | put our new address into the letter template
take the second paragraph out of the complaint one | update the description of the haiku prompt | adjust my report template, three bullet points instead of five
correct the spelling in the saved reply | from now on the greeting should say Hi, not Dear | add a blank for the date to the form letter
edit the interview prompt | the wording is off, please rewrite the refund text | change "dear Sir" to "hello" in the standard mail, permanently
let the code review one also look at tests | the snippet needs a new last sentence | make the birthday text funnier and save it
set another tag on it | the recipe text still has the wrong amount, put in 200 | improve my product prompt
the summary prompt should be in English from today | swap the two paragraphs of the newsletter text | the closing line of my mails must change
extend the checklist template by one point | that canned answer is out of date, put in the new opening hours | polish the sales text
the ending of the farewell letter should be warmer, store it like that
my invoice text needs our new bank number | please make the tutor prompt less strict, and save it like that | the welcome text has the wrong street in it, correct that
in my parents' letter, take out the sentence about masks | the apology should be shorter from now on | add "please reply by friday" at the end of my invitation template
the report one should list the risks first | can you make my sales text sound more relaxed, permanently | our company has a new name, change it in the offer template
the quiz prompt should have ten questions, not five | I'd like another blank in the contract text, for the date of birth | update the recipe text so that it uses grams
replace the old logo line in the letterhead text | rephrase the beginning of my cover letter template | the standup prompt should ask about blockers too
call the tutor prompt teacher instead | I misspelled the customer's name in the saved reply, fix it`,
  delete_prompt: `
throw out the old template, I never use it | delete that saved text | I don't need the newsletter one any more | get rid of the skill for poems
bin the shortcut named draft | remove the haiku prompt from my library | the greeting for christmas can go | kick out the old cover letter template
erase the snippet about faxes | drop the french template | I no longer need that canned text | scrap the prompt called test
nobody uses the summer text, away with it | wipe the old sales pitch from my collection | trash the poem one | take that instruction out of the library
clear out the template for 2019 | the recipe prompt is rubbish, delete it | please remove the two duplicates of my letter text
lose the joke template | dump the unused wordings | the farewell text is obsolete, get it out of here | that skill was a bad idea, remove it
throw the standard rejection away | delete the text block for discounts | we closed that shop, so its template can go
I want the quiz prompt gone | cull the old reply
the physics prompt can be thrown away | I won't need the parents' letter any longer, delete the template | out with the riddle text | please clear the old advert from my saved texts
remove my contract template, the lawyer has a better one | that quiz prompt is no good, dump it | get the outdated price text out of my collection`,
  restore_prompt: `
I messed up my template, get back the one from Monday | bring back the text that I deleted | the old version was better, use it again
undo my change to the letter template | go back to the older wording of my prompt | recover the prompt I threw away
revert the greeting to how it was | I broke the summary prompt, put back what was there before | un-delete the recipe text
yesterday's version of the offer was nicer, I want it again | my last edit was a mistake, take it back | roll the newsletter template back two versions
I deleted a template by accident, please get it back | restore revision 3 of the sales text | reset the mail text to the original
I want the friendly wording back that we had before | give me back the version without the discount | can you rescue the prompt I removed
return to last week's instruction | somebody ruined my template, make it what it was | the edit made it worse, back to the one before
reinstate the deleted poem prompt | oops, I overwrote my text, bring the earlier one back | make the version from March the current one again
the shortened text is no good, I want the long one from before | undelete my invoice snippet | put the template back to the state of last Friday
please put the contract text back as it was before christmas | my changes to the tutor prompt were stupid, undo them | I liked the apology better before, can you reset it
get me the january wording of the newsletter back | bring my thrown away prompt back to life | the welcome text was fine until I changed it, go one step back | recover my lost recipe template`,
  list_deleted_prompts: `
I deleted something a while ago, is it gone for good | which templates did I throw away | what is in the trash
can I still get the text that I removed | show deleted templates | my letter prompt has disappeared, did I delete it
is there a recycle bin for prompts | look in the bin for my recipe text | which prompts were removed lately
I think I threw something away that I need | what have I erased so far | the haiku one is missing, maybe I binned it
where do removed texts end up | list everything I have deleted | I can't find my snippet any more, was it deleted
did I throw out the wrong template | what was in there that I deleted in spring | show me the wastebasket
are my old removed prompts still somewhere | which instructions went in the bin | the skill vanished, is it among the deleted ones
did somebody delete my invoice template | which of my texts are gone | any chance that the deleted one is still around
did I delete my physics prompt at some point? | what have I got rid of lately | is my old contract text still in the bin | show me all the ones I threw out this year
I'm missing the apology text, is it perhaps in the trash | list removed prompts, I might want one back`,
  prompt_history: `
what did my text look like before I changed it | what's different between the current version and the one before
show me how this template changed over time | when did I last change this template | earlier drafts of my template
how did this prompt look last month | what did I alter in that saved text | see all past versions of the letter prompt
compare today's welcome mail with the one from January | who edited the summary prompt and when | how many versions of the offer are there
list the revisions of the sales text | what exactly changed in the newsletter template since Monday | what was the old wording of the greeting
show the changes of the recipe prompt line by line | I changed the instruction a few times, show me all of them
how has the interview prompt developed | what did the template say last year | which words did I change yesterday in the letter
the difference between version 2 and 4 of the report | when was this text written first, and what came after
let me see the previous state of the farewell text | did anyone touch the complaint template recently | history of that prompt
what's new in the shared template compared to before | how was the reply phrased in summer
show me the older one next to the newer one | track record of edits to my snippet
how was my contract text different in winter | what did I do to the tutor prompt over the last weeks | who altered the price in the offer text and what was there before
how often has the welcome text been reworked | what changed between the spring version and today's version of the leaflet text | let me go through the old states of my invitation`,
  label_prompt: `
take the label draft off, it is finished | mark the current version as final | the others should keep using the approved version
tag this version as stable | call revision 4 of the prompt production | publish the approved wording of a prompt
pin the template so nobody gets a newer draft | this version is good, make it the official one | label the latest summary as live
put "tested" on this version | it's ready for everybody, set it to production | the newest text is approved, mark it
version 7 is the one we go with | flag the sales text as released | move the live tag to the version of today
freeze the offer as it is now, as the release | sign off on this wording | designate this revision as staging
promote the draft to production | remove the stamp beta from it | call this state of the letter "print"
the team should use exactly this version from now on, tag it | stick a name on the present version so we can come back to it
version 3 gets the label winter campaign | release the new greeting | mark it as ready to go
this is the final one, call it production | the contract text is checked by the lawyer, mark that version as approved | put the label "summer" on the present leaflet text
the newest tutor prompt is ok for everyone, make it live | tag the second version of the reply as good | set the welcome text to "ready" | the beta label should point to the newest one`,
  test_prompts: `
check that my templates still give the right answers | run the checks of my skill | does it still do what it should
run the tests of a template | grade the output of my prompt | do my prompts still give good answers
try my saved prompts and see whether they pass | test suite of the library, go | which prompts fail their tests
are all checks green | do the automatic tests for the summary prompt | evaluate the translation prompt
after my change, do the tests still pass | run everything that tests the texts | rerun the failed checks of my templates
let the tests of the invoice prompt run | quality check of my prompts with their test cases | verify the expected answers of the template
does the greeting pass its tests | run all tests, I changed a lot today | test the ones I edited since last time
start the test run for the skills | any regressions in my prompts | the tests of the report prompt please
see if the test cases still hold | pass or fail, for each template
do the checks for my tutor prompt still succeed | let all automatic tests of my texts run and tell me the result | I changed the quiz prompt, run its tests
is everything still passing in my library | test my collection | did the last change break a test | start the tests for everything tagged school`,
  try_prompt: `
send the product text to the model and show me what it says | try the interview prompt out on Claude | how does the AI answer my new template
test drive the summary prompt with this paragraph | let the model have a go at my letter template and show the result
what comes out when I give it the essay helper with this text | run it through the model once so I can see the answer
do a trial with the haiku prompt, topic rain | give my draft to the AI and see how it responds | try both versions and show me the answers
I want to see the reply of the model to the new wording | experiment with the recipe prompt, ingredients rice and peas
feed this into the classifier prompt and see what the bot says | have a go with the greeting on a real model
what would the AI write with this template | put the review prompt to the model | quick try of the slogan prompt with our brand
shoot the question prompt at the model and look what you get | see how it turns out before I use it for real
one dry go of the story template on the language model | play around with my new prompt and show me the output
ask the model using the tone template, then show me its reply | check what kind of answer the wording produces
let Gemini answer my quiz prompt so that I see whether it's any good | put my advert text to the AI with the word bicycle and show what it makes of it
I want to hear what the bot answers to the tutor prompt if the pupil says hello | give the riddle prompt a spin | send my question text off to the model, just as an experiment
how would the AI react to my new advert prompt | one sample answer for the quiz prompt please`,
  list_trials: `
what did the model answer when I tried it yesterday | show my earlier try-outs of the slogan prompt | the answers I got last week while testing
which results did I have with the old wording | look back at my experiments with the recipe prompt | past trials of this template
I tried it a few times, what came out | show the previous answers of the model for the letter prompt | list all test runs I did by hand with it
compare what came out of the last attempts | what replies did the essay prompt get so far | how did the experiment from Tuesday go
the output from my trial this morning, where is it | how many tokens did the attempts take | earlier answers to my product prompt
what did Claude say the last time I tried that one | results of my playing around with the template | go through the old tries with me
which of the tried versions answered best | the record of trial runs for the summary
can I see again what it produced when I tested it on monday
which answers came back when I tried out the quiz prompt last week | show me what the AI said in my attempts with the advert text | what were the results of my experiments in march
let me look again at the sample answers I got | my former tries with the riddle prompt, how did they turn out | compare the answers from my two tries yesterday`,
  lint_prompts: `
is something wrong with my saved texts | check all my templates for mistakes | are there errors in my collection
proofread the prompt library for mistakes | check that none of my saved prompts is faulty | find broken placeholders
do all blanks in my templates make sense | any typos in the variables of my prompts | does the letter template have a mistake
look for problems in my snippets | is the syntax of the offer prompt okay
validate my prompt files | which of my prompts are broken | go over my library and tell me what's wrong
there may be an unfilled blank in the form letter, check | inspect my skills for mistakes | scan the texts for hidden characters
are any of the templates invalid | is everything in order with my prompt collection | find the faulty one in my texts
check the file I wrote for template errors | do my instructions have defects | have I made a mistake somewhere in the templates
warnings about my prompts | clean bill of health for my templates, please check
go through my texts and look for slips | are there any blanks left that don't work | does my contract text contain a mistake in the fields | something in my library seems to be broken, find out what
have a critical look at all my prompts for errors | is the quiz prompt written correctly`,
  import_prompts: `
I have saved prompts in another program, can you bring them over | load the folder of skill files on my computer
move my templates from ChatGPT to here | my friend sent me his templates, add them | take these files into my collection
bring my Cursor rules over here | take over my old templates from Gemini | here is an export from my last app, read it in
I switched tools and want my old snippets in here | copy my slash commands from Claude Code into the library | I've got 40 prompts in a json file
import this zip of templates | a colleague gave me a file with instructions, put them in | migrate the stuff from my old prompt manager
suck in everything from my fabric folder | transfer my collection from VS Code | my texts are in a csv from another tool, can they go in here
load what I exported there | get the skills from this repo into my library | upload my prompt files
there's a backup of my templates from the other laptop, take it in | add all the markdown files in that directory as templates
bring along my shortcuts from the previous assistant | read my custom GPT instructions into your library
I kept my texts in Notion until now, please take them in | here are 30 prompts from my old job in a text file | get the ones I have in Cursor | can you swallow this folder with my fabric patterns
my daughter made some prompts on her computer, here's the file, add them to mine | read in the collection I downloaded from the internet | move the ones from Copilot to you`,
  export_prompts: `
give me my templates as files | I want to use my texts in another program too | send my collection to a friend | can I take everything with me to Cursor
I want my prompts as files for Claude Code | save a copy of the library in VS Code format | hand my shortcuts over to Gemini
take my templates to another program | pack up my prompts so that a colleague can load them | turn my snippets into codex commands
write the whole library out | download all my templates | make files out of my saved texts | I'm moving to another tool, give me everything
dump my collection to json | convert the translate prompt for Gemini CLI | get my stuff out of here in a format other apps read
share my skills with the team as files | produce a backup file of my prompts | can my sister have my templates on her computer
print everything into a folder I can carry to my new job | give me the summary prompt as a skill file
I need them outside of this program as well | save them for use with opencode | extract the club texts as markdown files
how do I get my texts over to the laptop of my sister, as a file? | I'd like to have my whole library on a stick | my workmate uses Cursor, make him a version of my prompts
write my templates to disk in the format for Claude | I want to hand on the school texts to a fellow teacher | can I get my prompts out of here
make me a package with all the customer texts for the other program | I need a printed-out file of my library | turn them into VS Code prompts for my team
save everything I have as files so nothing is lost if I leave`,
};

/** Sentences in which people ask for the tools of messages, reminders that are planned, and people, separated by bars. */
export const peopleWishes = {
  send_message: `
tell Ada that the build is green | let Ben know I am running late | write to Anna that dinner is at eight | text me the result
send Paul a quick note: the report is ready | drop Anna a line about the delay | inform my wife that I will be late | tell everybody that the meeting is in room 5 now
message Tom: bring the keys | send a text to Grandma, we'll be there at six | give Sue the news that we won | shoot Kim a message that I'm outside
tell Dad the car is ready | pass on to the team that the server is back | ping Lena that lunch is here | email Ben that I accept
let the kids know that I'm on my way | announce to the family that the cat is found | WhatsApp my sister that I can't come
let Marta know right away that the train is cancelled | say to Joe that I've sent the file | notify the group that practice starts later
send a message to mum saying happy birthday | could you quickly tell Max I'm stuck in traffic | get word to Carol that the doctor called
write my boss that I'm ill today | send me a mail with that | forward this to Piet | a short note for Ines: keys are under the mat
let everyone know we start without them | tell my husband to buy milk on the way, now | sms to Oliver: all good
send the address to Nina | tell them the food is ready
Claire should know that I'm at the door, tell her | write Omar a line that the parcel came | tell the team: no meeting today | let my mother know I've landed | give Priya a quick message, I'll call in ten minutes
text my husband the shopping list | inform all parents that school is closed tomorrow | drop the boss a note that I finished | message everybody that the wifi is down | say sorry to Sam for me, by text
tell Lucy her cake was great`,
  list_notifications: `
what reminders are coming up | did the message go out | when will you ping me next | what are you going to tell me today
which reminders are set | did the text about the dentist go out | which alerts failed today | what messages did Anna get this week
show me everything you'll remind me of | has the reminder for the medicine been sent | what is scheduled to be sent tomorrow
what alarms do I have | is there a reminder for the flight | list the planned notifications | was the note to Tom delivered
which messages have you sent lately | what's still going to come this week | when does the next alarm go off
did grandma get her reminder yesterday | am I going to be reminded of the meeting | which reminders did I miss
all timers that are running | have you sent the mail to Paul about the keys | what did you send out in the last days
do I have an alarm for tomorrow morning | what nudges are planned for Ben | did the sms arrive | everything you have in store for me
what have you got lined up to tell me | which reminders will go to my mother this week | has Claire been told about the coffee | did the alarm for the pizza get set | is anything still to be sent tonight | what was sent to the team today
show all the alerts I've set up | did my message reach Omar | how many reminders are waiting | what's the next thing you're going to remind me of | which texts went out this morning`,
  plan_notifications: `
work out when to remind me of all this | make sure I'm reminded of everything next week | plan the reminders again
set up my alerts for the new appointments | figure out the reminders for next month again | recalculate what to send Anna
go through my calendar and set the reminders | redo the alerts for next week | please think again about when to remind me | fill in the missing reminders for the coming month`,
  cancel_notification: `
you don't have to remind me of the gym today | skip the reminder for the dentist | no reminder for this one, please | forget the alarm for tomorrow
no need to remind me about the gym today | drop that alert | don't send the message at five | switch off the alarm for six
the reminder about the library is not needed, I've brought the books back | cancel the timer | stop the daily pill reminder
take out the nudge for Tom, he paid | I already did it, no need to ping me about the bins | turn that reminder off
remove the wake-up call on saturday | I've called the bank already, so you can drop the reminder | delete the reminder for the plants
the alarm at 7 can go | no more reminders about the car inspection, it's done | don't remind me of the cake any more
call off the reminder for grandma tonight | forget about reminding me to stretch | unset the alarm | kill the timer
the thing at 5 you wanted to tell me, skip it | I don't need the heads-up for the flight | withdraw the reminder to Ben
you needn't tell me about the washing any more | I caught the bus already, drop the alarm | no more reminders for the invoices this month, they're out | forget the pizza timer | Claire brought the key, so don't remind her
stop that reminder about the passport, I have it | take back the alarm for tomorrow, I'm off`,
  acknowledge_notification: `
got it, no need to tell me again | I know about it, thanks | okay okay, I'm already on my way
got it, stop nagging | I have seen the reminder | yes I know about the meeting, quit bugging me | mark that alert as read
read it, thanks | noted, you can be quiet about it now | yep, saw it | understood, no more messages about that one
alright, I heard you the first time | I've taken the pills, reminder seen | confirm that I got the message about the bins
roger | message received | ok I'm aware, stop repeating it | I noticed the alert, leave it | thanks, I've read the note about the dentist
enough with the beeping, I've got it | yeah yeah I know, it's at four | tell the system I saw the reminder | consider me informed
yes, the washing, I know | ok ok, I've seen it | thanks, got the one about the bus | seen, no need to say it twice | I'm aware of the meeting, leave me alone | check, I read that | right, I've noticed`,
  snooze_notification: `
ask me later | bother me again after lunch | ten more minutes
remind me again in ten minutes | not now, ping me later | put that alert off until after lunch | nudge me once more at half past five
snooze | give me another quarter of an hour | later please, I'm on the phone | come back to me with that at six
I'm driving, tell me again when it's 5 | five more minutes | I can't right now, try again tonight | delay the reminder until tomorrow
remind me of it again this evening | postpone that alarm | push the reminder to the afternoon | hold that thought for an hour
ring me again in a bit | busy at the moment, repeat it at three | let me sleep ten minutes longer | move the reminder a little
show me this reminder again in half an hour | wait with that until I'm home
I'm in the shower, tell me again in 15 minutes | come again at eight | ask me once more tomorrow morning | hold off until the kids are asleep | not this minute, give me an hour | tell me again when the news is over
later, I'm cooking | push that to tonight | keep that reminder for after the meeting | wait another 30 minutes with it | can you try me again at noon`,
  preview_messages: `
who gets told when the meeting is moved | what would you write to Anna about it | show me the message before it goes out | what will the reminder say
if I cancel the dinner, whom do you tell | let me read the text of tomorrow's digest first | how will the mail to the guests look
what exactly will Claire read if I move the meeting | let me see the reminder's words before you send it | who would hear about it if I deleted the concert | show me tomorrow's agenda mail in advance`,
  replay_notifications: `
how would my last week have looked if you reminded me earlier | what would be different with another setting
what reminders would I have got with other settings | simulate last week's alerts under a new policy | what if you had warned me earlier
what would have been sent last month with ten minutes lead time | try the new reminder times on the past weeks | compare my reminders of the last days with other settings`,
  explain_notifications: `
I never heard about the meeting, what went wrong
why do I get two reminders for the same thing | why was the reminder so late | who told Anna about it | how come you called me at seven
nobody told me that lunch was moved, why | what was the reason for the call last night | why didn't my phone ring for the flight
how is it that I wasn't reminded of the pills | I missed the dentist because no alarm came, explain | why are you writing to me at midnight
why did Ben get a mail instead of a text | there was no reminder yesterday, what happened | why did the alert come twice
I waited for your message all day, where was it | what made you send that | why is there nothing for tomorrow's meeting
did you forget to tell me about the exam? why | how could it happen that grandma got no call | why so early
you said you'd remind me and you didn't, how come | the reason why the message never arrived
I didn't hear anything about the bus, what happened | why has my mother been phoned at night | how come Claire got nothing | the alarm didn't go off, why not | why am I told everything twice | what's the reason I got an sms and not a call
you were late with the pizza alarm, why | my son wasn't woken up this morning, find out why | nothing came for the concert, I'd like to know the reason | who decided to ring me at five`,
  test_notification: `
does the mail work | try whether you can call me | is WhatsApp set up right
can you really reach my phone | ring me to see if it works | send a trial mail to Anna | try out the push messages
let's see whether an sms gets through to me | send something to my email just to check | try calling me now | do a test on ntfy
check that my messenger works by sending hello | does a message arrive on my watch? try it | fire off a dummy notification
I want to hear how the call sounds | try if the texts get to Paul | can you get through to my Slack | ping my phone as a test
see if notifications pop up on this computer | send a sample message to my new number | is my mail address working, try it
try to reach me on Signal | I've set up a new phone, check that your messages arrive | send a test to my mother | does the telephone thing work? ring me once | just to be sure, send me a mail | try whether the desktop popups work`,
  list_channels: `
how can you reach me | can you send to WhatsApp | which ways of telling me something are there | how can I be reached
which ways to notify me are set up | what does an address for a chat look like | which messengers are supported
do you support WhatsApp or Signal | is there a way to get sms from you | can you phone people
what are the possible ways to get a message from you | can I get things on Matrix | do you do phone calls at all | is sms set up`,
  list_outbox: `
which messages could not be sent | is something stuck that should go out | where are the mails that nobody got
which mails never left | letters waiting to go out | show the unsent messages | what piled up because no mail server is set
what is in the outbox
are there mails that haven't left the house | what's sitting there unsent | which texts are stuck because nothing is set up | show the messages that were written but not sent`,
  get_user: `
what phone number do we have for Anna | how do you reach my mother | which time zone am I in
where do my reminders go at the moment | what do you know about Lisa | when are my quiet hours | what is Anna's phone number
how does Ben like to be contacted | look up Maria's e-mail and quiet hours | show the profile of one person | is my number right in your records
what language does Pierre get his messages in | how am I notified right now | Paul's contact details | do you call Ben or write to him
what address do you have for Claire | how will Omar be notified | is my mobile number still the old one in there | which quiet hours did I set | what's stored about my mother | Priya's number please
does Sam get texts or mails | in which time zone is Lucy according to you`,
  list_users: `
who is in here | whom do you know | show everybody with their phone numbers | which people do you look after
who all gets reminders from you | whose diaries do you look after | everybody in the system | how many people do we have on file
list my contacts | who can I send messages to | is my brother in your list | names of all the people you know | all members of the family that are set up
do you have a Maria | show the people | which colleagues are in your address book | whom can you remind | the list of persons please
who's on the list | everybody you can send something to | which people are set up here | whose phone numbers do you have | tell me all the names you know | are Claire and Omar in here | who belongs to our group
give me all persons with their channels | how many family members have I entered | is there a Lucy among the people`,
  create_user: `
add my new neighbour, her number is 555 123 | my daughter should get reminders too | put Tom in with his email address
this is the number of the plumber, keep it | a new person in our team, this is her mail | sign up my wife | add a new colleague with her mobile number
register someone so that they get reminders | my brother wants to join | new contact: Eva, eva@example.org | we have a new trainee, enter her
add Grandpa, he has only a landline: 030 1234 | my son has a phone now, set him up, +49 151 000 | include Maria in our family group
please take in Mr Ito, his address is ito@example.org | save the babysitter's number | create an account for Leo | put my dad on the list of people
get Nora on board, mail nora@example.org | from today on you also look after Sam | the new guy in sales is called Ed, add him with phone 555 99
please take down my colleague Priya, phone 0170 11 | Omar is new in the team, mail omar@example.org | put my mother in, she only has a landline | add the vet with her number | I'd like you to know my son Tim too, he is on Signal
enter the new neighbour, name Lucy | there is a new nurse, Sam, text her on 555 77`,
  update_user: `
send my reminders to my messenger from now on, not by mail
the number I have for him is wrong, it ends in 88 | she doesn't read emails, call her on the phone instead | no messages on Sundays
I live in another country now, change my time zone | text me instead of calling | write to me in French | he has a new email address
if I don't react to the message within ten minutes, give me a ring | keep quiet while I'm on holiday | his last name changed
Anna has a new phone number | don't ring me at night | I moved to New York, fix my time zone | send me texts by mail instead of calling
please use WhatsApp for me in future | quiet from 9 pm until 8 | my email is different now | grandma never looks at her phone, ring her
from monday I'm in Tokyo, adjust the times | stop calling me, send an sms | nothing before eight in the morning, I sleep long
leave me in peace at the weekend | pause all reminders until the 20th | I'm ill this week, no notifications please
Ben wants to get push messages | switch me to email | my mobile number is 0170 222 now | do not disturb me after 8 in the evening
for flights call me, everything else by text | remind me always 30 minutes before instead of 10 | Dad should get a phone call, not a mail
let me sleep, no buzzing at night | turn off the sounds between 22 and 6 | I'm on vacation till friday, silence please
the kids' messages should go to my number | my new address is anna@example.org | I prefer phone calls for doctor's appointments
I've changed my phone, the new number is | set my time zone to London | he wants his messages in Polish | mute everything for two weeks
contact my father by phone only | give me peace and quiet during my night shifts | notify Sue through Signal rather than mail
all my stuff should come as a push on the phone from now on
my mother prefers to be called | nothing after nine in the evening please | I'm in New Zealand until june, set the clock accordingly | Claire has another mail address now | from today write to me on Signal | don't wake me before ten on sundays
Omar would rather have texts than calls | no sounds during the night shift, that's 10 pm to 6 am | my son's number has changed to 555 42 | I want my alerts on the telephone, not in the mailbox | keep everything silent while I'm on maternity leave
give my father a call for medical things and a text for the rest | stop all messages to me until monday | address me in Spanish from now on | she's moved to Toronto | let my reminders come half an hour ahead
I hardly read mails, text me | Priya is on holiday, leave her alone until the 15th | please only use push for me | I go to bed at 8, no messages after that | ring me if it's urgent, otherwise email
we're away from the 3rd to the 17th, keep quiet in between | no reminders between Christmas and New Year | I'm travelling from Monday to Friday, pause my notifications for that time
switch off the alerts while I'm on holiday, from the 5th until the 20th | silence my reminders during my vacation in August
always remind me two hours before flights | for doctor's appointments I want a call the day before | from now on remind me a day ahead of birthdays
text me before doctor's appointments | sms two hours before every dentist or doctor visit | phone me before a flight, and a push the day before
send me a summary of the day every morning | I want my agenda for today by mail at half past seven | fewer notifications please, only one per meeting
remind me an hour before every meeting from now on | for trains tell me 90 minutes ahead | stop the morning summary`,
  delete_user: `
take him out completely with everything about him | I don't work with her any more, delete her | remove my ex from everything
Tom has left the company, remove him | erase a person and all their data | close my account | forget everything about this client
we don't need the babysitter in here any longer | delete Max from the people | my neighbour moved away, take her off the list
kick Ed out of the system | wipe all data about Mr Ito | the trainee has finished, remove her from your list | he doesn't want messages from us, delete him altogether
drop the plumber from the contacts | get rid of that duplicate person
Omar doesn't work here any more, take him out | delete everything you know about Claire | we've broken up, remove Sam from the list | my old nurse can be deleted | Lucy no longer wants anything from us, delete her entry
take my ex-colleague off | the intern is gone, clear out his data | erase Grandpa's entry`,
  choose_me: `
I am Anna, remember that | that's me, the one called Ben | which of these people am I? I'm Carla | you think I'm Tom but I'm Paul
I'm Claire in that list | you have me mixed up with Omar, I am Priya | of these people, I'm the second one`,
  list_rules: `
what did I tell you about when to remind me | which exceptions did I make | for what do I get extra reminders
which special rules do I have for reminders | how have I set up who is important | what exceptions apply to Anna's alerts | see the conditions for nagging
what rules are there for my reminders | show me the special cases I set up | whom do you treat as important | which of my wishes about reminders do you keep to`,
  set_rule: `
if I don't react within ten minutes, call me | anything with the boss is important, ring me
tell me earlier when I have to drive there
anything from my boss is important | always warn me half an hour earlier when I must drive
nag me less about the standup | treat mails from the chief as VIP
whenever it's about my daughter, treat it as important | I need more time before everything in the city, remind me earlier | calls from the clinic always matter
everything from Mr Berger is important from now on | meetings with only my colleagues need no reminder | I always need 20 minutes to get there, keep that in mind | make it a rule that I'm warned earlier of anything outside
treat mails of my teacher with priority`,
  delete_rule: `
forget what I said about the boss, treat him like everyone | drop that special reminder rule | no more extra reminders before flights
the boss exception no longer applies, drop it | stop treating Paul as a VIP | get rid of the travel time rule | undo that I get fewer reminders for yoga
the special treatment for the boss can end | delete the exception I made for yoga | I don't want that extra warning for trips any more, remove the rule
take back the rule that customer calls are important | that reminder rule is wrong, get rid of it`,
};

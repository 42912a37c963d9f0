/** Sentences in which people ask for the tools of events and calendars, separated by bars. */
export const calendarWishes = {
  list_events: `
what does my week look like | am I free on Friday afternoon
when is my mother's birthday | do I have anything on the weekend | what's next on my schedule | when do I see the doctor next
what's planned for monday | when is the concert again | show me my diary for june | any appointments today | what time is the parents' meeting
do I have time on thursday evening | when's the next football match | what is in my calendar in the second week of may
how busy is my next week | is something on at 3 | find the appointment with the lawyer | when does school start again
what did I do on the 4th of march | list everything with Tom in it | what's coming up | which meetings do I have with finance
when was I last at the hairdresser | have I got plans for new year's eve | which day is the dentist | read me today's schedule
what are my to-dos | which tasks are overdue | which tasks are overdue or due this month | what's left on my list for this month | show open tasks | who has birthday in august
what's happening at the weekend | when am I flying | is the yoga class on tuesday or wednesday | look up when the car goes to the garage
do we have visitors in july | my agenda please | am I booked on the 12th | where do I have to be at noon | when will the plumber come
anything important next week | what does Anna have on today | how many meetings did I have last month | the family calendar for the holidays
what was that thing on saturday | when's my next shift | is my evening free | did I write the vet appointment down somewhere
tell me my plans for the day
what's the plan for saturday | do I have something at four on wednesday | when do I have to pick up the kids | what's in the diary between the 5th and the 9th | where am I on thursday | am I doing something on my birthday
tell me what I have on today | which week is the training in | when's the vet | show me what's up in the next three days | have I got an appointment at the bank this month | what does my friday look like
when are the exams | is there anything in the calendar about the boiler | what else do I have to do today | on what day do we fly to Rome | do we have anything on sunday evening | what time is my train | how full is my june
is it this week or next that the painter comes | is there anything I have to hand in this week | what have I planned for the holidays | search my calendar for physio | any meetings left today`,
  get_event: `
who is coming on Saturday | where is the meeting | what is the link for the call | has anyone answered the invitation | what did I write down about it
where is the dentist appointment | who is coming to Monday's lunch | tell me more about that meeting | what is the dial-in link of the call with Sue
how long does the workshop last | what's the address of the party | which room is the exam in | who organises the team day
show all details of the appointment | the notes to the interview on friday | how do I join the video call | who is invited to the barbecue
what was the agenda of the board meeting | does the trip have a description | is there a reminder on the doctor's appointment
when does the concert end and where is it
where's the physio place | who else is going to the theatre | what number do I dial for the call with Priya | how long is the handover | what did I note for the meeting with the tax man | is the concert in the church or the school
who did I invite to the breakfast`,
  create_event: `
I'm on holiday from the 3rd to the 17th, block that out | put it on my to do list
book lunch with Sam | put a haircut in my diary for Tuesday | pencil in a visit to grandma
set up a weekly team meeting | I have to hand in the papers by the end of May | meeting with Kim on monday at 10, note it
school play on friday 7 pm in the assembly hall, write it in the calendar | new appointment: vet, thursday 16:30
reserve two hours for writing tomorrow morning | schedule a call with the bank for wednesday | piano lesson every tuesday at five
add my flight on the 9th, leaves 11:20 | we are having dinner with the Millers on saturday | keep thursday evening free for sport
put down the deadline for the tax return, 31 july | birthday of Lena on the 3rd of march, every year | the plumber comes on monday between 8 and 10
invite Ben and Clara to a planning session next week | wedding on june 21st, all day, enter it | make an entry for the oil change
I'm at a conference from monday to wednesday | mark the school holidays | note: rehearsal at 6 in the church
to do: buy a present for dad until friday | task: renew the passport, due in october | I need to call the insurance this week, add it as a task
something to tick off later: water the neighbour's plants | add "pay the rent" to my list of things to do, due on the 1st
create a calendar entry | the exam is on the 5th at nine in room 12 | choir practice each wednesday from 7 to 9 pm
block out my lunch break every day | I'll be away next weekend, put that in | stick the garage sale in the calendar for sunday
doctor's appointment at 8 on friday, don't forget to write it down | save the date: reunion on the 14th | plan an hour of reading tonight
write down: physio on monday at 5 | we're going to the theatre on the 8th, put it down | my mother is visiting from the 3rd to the 6th | note the handover meeting, thursday at 14:00 in the big room
I'm meeting Claire for coffee tomorrow at ten | put an appointment with the tax man into next tuesday, 9 to 10 | team breakfast every first friday | I've booked the mechanic for the 20th, please note it
enter my night shifts for this week | I need an hour for invoices on friday, keep it free for me | I still have to buy a birthday cake, put that on my list | by monday I must send the contract, make it a task
there's a school concert on the 17th at 6, add it | put my holiday in: 1st to 14th of august | schedule a one-to-one with Priya next week on tuesday at 3 | jot down the vaccination on may 4th`,
  update_event: `
move lunch with Sabine to Thursday | it always starts at 5 from now on instead of 4 | change the place of the dinner | tick it off, it is done
this week only it is off | push the dentist back by an hour | the party is at another place now | shift my Monday call to Wednesday | make the meeting longer
the haircut is at 3, not at 2 | postpone the team meeting to next week
the train is late, so the interview starts half an hour later | bring the call with Sue forward to 9 | the yoga class is in room 4 from now on
rename the event to board dinner | the concert begins at eight instead of seven | reschedule the vet to tuesday | swap my lesson with thursday's slot
add the video link to monday's call | the workshop ends at 4 already | can you put the visit of grandma one week later
the doctor moved my appointment to the 8th at 11 | write in the notes that I have to bring cake | add Tom to the meeting
the dinner is for 8 people at Luigi's now, change that | make the choir practice weekly | my shift on friday is from 2 to 10 now
done with the shopping, mark it as done | I've paid the bill, cross it off my list | the essay is handed in, check it off
finished: present for dad | I did the laundry, it can be ticked | the task with the insurance is completed
there are two versions of the meeting, keep mine | use the version from the server for the team lunch, not ours
the other program changed it too, my time is the right one | overwrite theirs, the place I entered is correct
which version of the appointment is right? take the newer one | both changed, keep the one from my phone
it clashes with what somebody else edited, use my copy | turn the meeting into a whole day thing | mark the exam as important
move everything from tuesday's meeting to the day after | the colour does not matter but the title should be Sprint planning
physio isn't at 5 but at 6 | can we have the coffee with Claire a day earlier | the mechanic wants me to come at 8 instead | the handover is in the small room now | make the team breakfast start at nine
shift my whole tuesday afternoon appointment to wednesday | the theatre starts later, at 8:15 | the visit of my mother is three days longer | the concert has been put off to the 24th | could you move that call to after lunch
I posted the letter, done | the cake is bought, you can check that task | I've done my tax papers, tick | homework is finished, take it as done | that to-do is settled | called the insurance, cross it out
two versions of the physio exist, the one on my phone is correct | somebody else changed the meeting at the same time, keep my version | there's a clash between my edit and the one on the server, take theirs
it asks which version to keep: mine | the place of the concert has changed to the church | put the meeting back by thirty minutes | the interview with Mr Chen now takes two hours | change the title of thursday's thing to kick-off`,
  delete_event: `
cancel dinner on Friday | the football practice does not take place this week | I'm not going to the doctor after all
call off the lunch with Sam | the concert is cancelled, take it out of my diary | scrap the weekly meeting | skip next Tuesday's lesson
the trip is off, delete it | remove the dentist from friday | no choir tomorrow | strike the call with the bank, he is ill
we won't have the barbecue, out with it | erase my gym appointments, I quit | drop wednesday's meeting | the class falls away this week
delete that entry | clear the afternoon, the workshop isn't happening | take the vet appointment off the calendar | piano is out today
get rid of the visit of grandma, she can't come | kill the standup on friday | the party isn't taking place, remove it
that event was entered twice, delete one | cross out the interview, they found somebody | the flight was cancelled, take it out
I don't have to go to the meeting any more, delete it | no training during the holidays, remove those dates
physio is cancelled, remove it | we're not going to the theatre after all | my mother can't come, take her visit out | no handover on thursday, delete that | scratch the coffee with Claire | the mechanic called it off
the concert won't happen, erase it from the calendar | I don't need the invoice hour on friday, remove it | not going to yoga on thursday, take it out this once`,
  remind: `
don't let me forget to call the bank tomorrow | wake me at seven | set an alarm for 6 | tell me at five that I have to leave | remind Anna to bring the keys
set a timer for ten minutes | I have to take my pills every morning at 8, remind me | ping me when it is time to go | give me a nudge on Monday about the report
in half an hour I need to check the oven, beep me | buzz me at 4 | shout when it's time to leave for the train, 17:40
I always forget to water the plants, tell me every sunday | poke me in an hour about the laundry | alarm at half past six on weekdays
remember for me that the parking ticket runs out at 3 | can you tell Dad on friday morning to bring the ladder
nudge Ben every month about the rent | please remind my wife tonight at 8 to take her medicine | timer 3 min, tea
at noon tell me to eat something | I keep forgetting the rubbish, every thursday evening please | don't forget: present for Mia, ask me on the 3rd
let me know when it's quarter to nine | get me out of bed at 5:30 | give me a shout tomorrow at 10, I need to phone the school
once a week tell me to back up my laptop | bother me about the taxes on the first of the month | in two days ask me whether I wrote the letter
wake-up call at six please | eggs, 6 minutes, go | say something at 2 pm so I don't miss the parcel | remind us to leave at seven
every morning at 7 tell me to stretch | hey, 15 minutes, then I have to turn off the stove | tell Grandma each evening at 8 to take her drops
drop me a hint next tuesday about the library books | I need a reminder for the vitamins daily at nine
tell me to take the washing out in 45 minutes | I have to call physio at nine tomorrow, remind me | every evening at ten: lock the door | prod me on friday about the contract | let my son know at 7 each morning that he has to feed the dog
give me a nudge at half past two, the kids need picking up | don't let me miss the bus at 16:10 | each month on the 25th remind me to send the invoices | a quick alarm in 8 minutes for the pizza
Claire should be reminded on monday to bring the key | will you ask me tonight whether I watered the tomatoes | I mustn't forget the parking meter, ping me in an hour | call out at 11 so that I stop working
remind the team every thursday at 4 to fill in their hours | please jog my memory about the passport next week`,
  find_time: `
when could Tom, Julia and I meet for an hour | when are we both free | find a gap for a call with Ann | is there a time that suits everyone
is Ben busy on tuesday at 3 | when does the whole team have time next week | look for two free hours for Lena and me
which afternoon works for all of us | find us a slot with Sue, 30 minutes, mornings if possible | does Dr Brown have time on friday
can Maria and Paul do thursday | is anybody free for lunch tomorrow | a date that fits both families
when would all four of us be able to sit down together | what's a good moment for a meeting with the boss and Kim
is my husband tied up tomorrow evening | suggest times for a call with New York, both in working hours | who's free on monday morning
check when Tina is available | could the three of us get together this week? when | the earliest time everybody can make it
find an evening when none of us has something on | when is Joe occupied next week | does Wednesday suit everyone
arrange a meeting time for six people | I need half a day with Alex, when is that possible
when would suit Claire and me for a coffee | is Priya around on tuesday afternoon | look when all three teachers have a free hour | could Sam and I squeeze in a call before friday | which day next week are we all free
does Claire have anything on at 5 tomorrow | find half an hour with the boss this week | is there a gap in everybody's schedule | when is the whole family at home | when isn't Priya busy | would monday at nine work for everyone
I want to meet with Omar and Lucy, when is a good time | has Grandpa got time on sunday`,
  answer_invitation: `
say yes to the party | tell them that I'm coming | I can't make it, decline | maybe, I'll see whether I can come | accept the invitation of Paul
no thanks to the webinar | reply to the invite from HR that I'll be there | turn down the meeting on friday
I'd love to come to Karin's dinner, let her know through the invite | RSVP yes for the wedding | answer the invitation: tentative
I won't attend the board meeting, say no | confirm that I take part in the workshop | somebody invited me to a call, accept it
respond to the summer party invite, two of us can't | refuse the invitation of the sales people | I'm in for the barbecue, confirm
put maybe for the team event | decline everything they invited me to on saturday | tell the organiser I'm not coming
say I'll join the meeting that Ann invited me to | take the invitation for tuesday
tell Claire yes for the coffee, she invited me | I can't come to the kick-off, turn it down | say maybe to the school party | accept what Priya sent for tuesday | Omar has invited me, I'll be there
the invite for the wedding: of course we're coming`,
  add_calendar: `
can you see my calendar from work | connect the calendar of my phone
here is a link to the holidays, keep it up to date | I want my iCloud appointments in here | subscribe to the bin collection dates
link my Google calendar | follow the football fixtures feed | hook up my iCloud account | keep my work diary in step with this one
my appointments are on the company's Nextcloud, join it up | attach my Outlook calendar | show my husband's shared calendar here as well
add the webcal address of the school | I use Fastmail, plug that in | sync with my Google account from now on
get the events of our club's server in here, always current | connect to our caldav server | integrate the timetable of the university
can you tie in the calendar from my mac | the church has an online calendar, follow it | pair with my phone's diary
I'd like the moon phases feed in my calendar | make my work calendar appear here | set up the connection to my online calendar
the team keeps its dates on the web, have them shown here | here's the address of the holiday calendar, subscribe
the choir puts its dates on a web address, I want them in here all the time | can you connect to my work Exchange calendar | link up the calendar on my iPhone | my wife's Google dates should show up as well
our sports club has a feed, tie it in | hook up the caldav of my host`,
  import_calendar: `
the club sent a file with all the games, put them in my calendar
here is a calendar file, add it | read in an ics file from the school | load these appointments from a file just once
someone mailed me a calendar attachment | copy the holiday dates into my diary from a file | I downloaded the schedule of the festival, take it in
the dates are in a file called season.ics | put the attached events into my calendar | import my old diary, I exported it to ical
the airline sent an .ics with the flights | bring in the dates from this download | take over the appointments in the file, once is enough
we got the rubbish dates as a file, enter them | upload this ical | my exported Outlook file, please add its events
paste of a calendar invite, put it in | add the conference programme from the file they sent me | all trainings are in this file
the match schedule came as an ics attachment, put it in my calendar | take the dates from the file on my desktop | here's an exported diary from my old phone | add the appointments in course.ics
the travel agency mailed a file with all flights and hotels`,
  list_calendars: `
which calendars do you see | where do these appointments come from | is my Google calendar still connected | when did you last look at my calendar
which calendars are hooked up | what diaries am I subscribed to | did my Google feed update properly | when was the calendar last refreshed
what accounts are linked | which outside calendars do I have | list my subscriptions to other people's dates | what feeds are in here
is the school calendar still coming in | does the connection to iCloud work | name the calendars I follow
how many calendars are attached | which sources does my agenda have | is there a problem with one of my calendars
what calendars are set up for Anna | what's connected at the moment, Google or Outlook
which outside calendars are coming in here | what calendars have I hooked up so far | is the choir's calendar still linked | whose calendars do I follow | are my connected calendars all right`,
  sync_calendar: `
I just added something on my phone, look again | get the newest from my calendar
the calendar here is not up to date | my diary is out of date, refresh it | fetch the newest appointments now | pull the latest from my calendars
the change I made in Google does not show up here | reload the calendars | check for new dates at the school's calendar
the meeting I entered at work is missing here, look whether there is something new | synchronise everything now
update my iCloud dates | I changed the time on my laptop but here it's still the old one | read my calendars again
why isn't the new event here yet, get it | force a refresh of the club calendar | sync please | bring my agenda up to the latest state
the colleague moved the meeting, but I still see the old time, refresh | grab the current dates from the server
I put something in my phone's calendar but don't see it here | the choir changed a date, get the new one | have another look at my Google calendar | please refresh everything from outside | it hasn't picked up the new meeting, try again`,
  remove_calendar: `
take the work calendar away again | I don't want to see the football dates any longer | disconnect my Google calendar | unlink the school calendar
stop following the football feed | disconnect my work account | I don't want the holiday calendar any more | I've left the company, remove its calendar
unsubscribe from the moon phases | the club's dates don't need to come in here | cut the connection to iCloud | drop the shared calendar of my ex
kick out the calendar of the gym | stop syncing with Outlook | my son finished school, his timetable can go | detach the nextcloud calendar
get the festival's events out of my calendar, all of them | end the subscription to the league | no more dates from the church, please
the old Google account should be gone from here | delete the whole imported calendar
I don't sing in the choir any longer, take its dates out | stop following the sports club | my old job's calendar is still coming in, cut it off | unhook the Exchange calendar | I no longer want to see my wife's dates here
get rid of the connection to my phone calendar | that feed of the moon is annoying, drop it | take the school's calendar out, my kid has left | remove the league's fixtures for good`,
  share_calendar: `
let my wife see my appointments on her phone | give me a link to my calendar | publish my calendar for my team | stop sharing my calendar
I want my dates to appear in another app | make a secret address for my calendar | my partner should be able to follow my schedule
can others subscribe to my calendar | create a private feed of my events | I'd like to see these events in Thunderbird too
a web address where my sister can look at my dates | share my agenda with the babysitter | how do I get this calendar onto my phone
revoke the calendar link I gave out | the link leaked, end it | let Google show what is in here | make my diary readable for my assistant
url for my calendar please | give the family a read only view of my plans | I want my appointments on my watch via a subscription
can I subscribe to this from my mac | hand out an address with my events to the team
I'd like my parents to see when I'm away, is there a link | can my boss look at my dates somewhere | how can I see this calendar on my tablet | give me a private address for my appointments | make it possible for Claire to follow my calendar
close the link to my calendar that I gave to Omar`,
  export_calendar: `
save my calendar as a file | give me all appointments as ics | I want a copy of my calendar | download my calendar
print my events as icalendar text | write my dates to a file I can send to somebody | get my appointments out of here as .ics
backup of my diary | dump all events | make an ical file of my calendar for the new program | I need my whole schedule in a file
export Anna's calendar | convert my agenda to a file for Outlook
please write all my dates into a file | I need my appointments as a file for the new phone | can I have an ics of everything in june | make a copy of my calendar that I can mail`,
  undo_change: `
undo what I just did | that was a mistake, take it back | reverse the last thing you changed | oops, put that back
no, that was wrong, undo | revert my last change to the calendar | I didn't mean to move that, put it back | take back what you just did
I deleted the wrong appointment, bring it back | restore the event I just removed | undo the last change to the calendar`,
};

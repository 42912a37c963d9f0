import { type Case, calendarOf } from './case.ts';

/**
 * The examples of RFC 5545, section 3.8.5.3, with the occurrences printed there. Each line has the offset, the year, and
 * days by month. If the RFC ends a list with an ellipsis, the range of printed occurrences must be complete.
 */
interface Example {
  readonly name: string;
  readonly start: string;
  readonly rules: readonly string[];
  readonly extra?: string;
  readonly printed: readonly string[];
  readonly times?: readonly string[];
  readonly endless?: true;
}

const twentyMinutes = [9, 10, 11, 12, 13, 14, 15, 16].flatMap((hour) =>
  ['00', '20', '40'].map((minute) => `${String(hour).padStart(2, '0')}:${minute}`),
);

const examples: readonly Example[] = [
  {
    name: 'daily for 10 occurrences',
    start: '19970902T090000',
    rules: ['FREQ=DAILY;COUNT=10'],
    printed: ['EDT 1997 Sep 2-11'],
  },
  {
    name: 'daily until December 24, 1997',
    start: '19970902T090000',
    rules: ['FREQ=DAILY;UNTIL=19971224T000000Z'],
    printed: ['EDT 1997 Sep 2-30; Oct 1-25', 'EST 1997 Oct 26-31; Nov 1-30; Dec 1-23'],
  },
  {
    name: 'every other day, forever',
    start: '19970902T090000',
    rules: ['FREQ=DAILY;INTERVAL=2'],
    printed: [
      'EDT 1997 Sep 2,4,6,8,10,12,14,16,18,20,22,24,26,28,30; Oct 2,4,6,8,10,12,14,16,18,20,22,24',
      'EST 1997 Oct 26,28,30; Nov 1,3,5,7,9,11,13,15,17,19,21,23,25,27,29; Dec 1,3',
    ],
    endless: true,
  },
  {
    name: 'every 10 days, 5 occurrences',
    start: '19970902T090000',
    rules: ['FREQ=DAILY;INTERVAL=10;COUNT=5'],
    printed: ['EDT 1997 Sep 2,12,22; Oct 2,12'],
  },
  {
    name: 'every day in January, for 3 years',
    start: '19980101T090000',
    rules: [
      'FREQ=YEARLY;UNTIL=20000131T140000Z;BYMONTH=1;BYDAY=SU,MO,TU,WE,TH,FR,SA',
      'FREQ=DAILY;UNTIL=20000131T140000Z;BYMONTH=1',
    ],
    printed: ['EST 1998 Jan 1-31', 'EST 1999 Jan 1-31', 'EST 2000 Jan 1-31'],
  },
  {
    name: 'weekly for 10 occurrences',
    start: '19970902T090000',
    rules: ['FREQ=WEEKLY;COUNT=10'],
    printed: ['EDT 1997 Sep 2,9,16,23,30; Oct 7,14,21', 'EST 1997 Oct 28; Nov 4'],
  },
  {
    name: 'weekly until December 24, 1997',
    start: '19970902T090000',
    rules: ['FREQ=WEEKLY;UNTIL=19971224T000000Z'],
    printed: ['EDT 1997 Sep 2,9,16,23,30; Oct 7,14,21', 'EST 1997 Oct 28; Nov 4,11,18,25; Dec 2,9,16,23'],
  },
  {
    name: 'every other week, forever',
    start: '19970902T090000',
    rules: ['FREQ=WEEKLY;INTERVAL=2;WKST=SU'],
    printed: [
      'EDT 1997 Sep 2,16,30; Oct 14',
      'EST 1997 Oct 28; Nov 11,25; Dec 9,23',
      'EST 1998 Jan 6,20; Feb 3,17',
    ],
    endless: true,
  },
  {
    name: 'weekly on Tuesday and Thursday for five weeks',
    start: '19970902T090000',
    rules: [
      'FREQ=WEEKLY;UNTIL=19971007T000000Z;WKST=SU;BYDAY=TU,TH',
      'FREQ=WEEKLY;COUNT=10;WKST=SU;BYDAY=TU,TH',
    ],
    printed: ['EDT 1997 Sep 2,4,9,11,16,18,23,25,30; Oct 2'],
  },
  {
    name: 'every other week on Monday, Wednesday and Friday until December 24, 1997',
    start: '19970901T090000',
    rules: ['FREQ=WEEKLY;INTERVAL=2;UNTIL=19971224T000000Z;WKST=SU;BYDAY=MO,WE,FR'],
    printed: [
      'EDT 1997 Sep 1,3,5,15,17,19,29; Oct 1,3,13,15,17',
      'EST 1997 Oct 27,29,31; Nov 10,12,14,24,26,28; Dec 8,10,12,22',
    ],
  },
  {
    name: 'every other week on Tuesday and Thursday, for 8 occurrences',
    start: '19970902T090000',
    rules: ['FREQ=WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH'],
    printed: ['EDT 1997 Sep 2,4,16,18,30; Oct 2,14,16'],
  },
  {
    name: 'monthly on the first Friday for 10 occurrences',
    start: '19970905T090000',
    rules: ['FREQ=MONTHLY;COUNT=10;BYDAY=1FR'],
    printed: [
      'EDT 1997 Sep 5; Oct 3',
      'EST 1997 Nov 7; Dec 5',
      'EST 1998 Jan 2; Feb 6; Mar 6; Apr 3',
      'EDT 1998 May 1; Jun 5',
    ],
  },
  {
    name: 'monthly on the first Friday until December 24, 1997',
    start: '19970905T090000',
    rules: ['FREQ=MONTHLY;UNTIL=19971224T000000Z;BYDAY=1FR'],
    printed: ['EDT 1997 Sep 5; Oct 3', 'EST 1997 Nov 7; Dec 5'],
  },
  {
    name: 'every other month on the first and last Sunday for 10 occurrences',
    start: '19970907T090000',
    rules: ['FREQ=MONTHLY;INTERVAL=2;COUNT=10;BYDAY=1SU,-1SU'],
    printed: ['EDT 1997 Sep 7,28', 'EST 1997 Nov 2,30', 'EST 1998 Jan 4,25; Mar 1,29', 'EDT 1998 May 3,31'],
  },
  {
    name: 'monthly on the second-to-last Monday for 6 months',
    start: '19970922T090000',
    rules: ['FREQ=MONTHLY;COUNT=6;BYDAY=-2MO'],
    printed: ['EDT 1997 Sep 22; Oct 20', 'EST 1997 Nov 17; Dec 22', 'EST 1998 Jan 19; Feb 16'],
  },
  {
    name: 'monthly on the third-to-the-last day, forever',
    start: '19970928T090000',
    rules: ['FREQ=MONTHLY;BYMONTHDAY=-3'],
    printed: ['EDT 1997 Sep 28', 'EST 1997 Oct 29; Nov 28; Dec 29', 'EST 1998 Jan 29; Feb 26'],
    endless: true,
  },
  {
    name: 'monthly on the 2nd and 15th for 10 occurrences',
    start: '19970902T090000',
    rules: ['FREQ=MONTHLY;COUNT=10;BYMONTHDAY=2,15'],
    printed: ['EDT 1997 Sep 2,15; Oct 2,15', 'EST 1997 Nov 2,15; Dec 2,15', 'EST 1998 Jan 2,15'],
  },
  {
    name: 'monthly on the first and last day for 10 occurrences',
    start: '19970930T090000',
    rules: ['FREQ=MONTHLY;COUNT=10;BYMONTHDAY=1,-1'],
    printed: ['EDT 1997 Sep 30; Oct 1', 'EST 1997 Oct 31; Nov 1,30; Dec 1,31', 'EST 1998 Jan 1,31; Feb 1'],
  },
  {
    name: 'every 18 months on the 10th thru 15th for 10 occurrences',
    start: '19970910T090000',
    rules: ['FREQ=MONTHLY;INTERVAL=18;COUNT=10;BYMONTHDAY=10,11,12,13,14,15'],
    printed: ['EDT 1997 Sep 10,11,12,13,14,15', 'EST 1999 Mar 10,11,12,13'],
  },
  {
    name: 'every Tuesday, every other month',
    start: '19970902T090000',
    rules: ['FREQ=MONTHLY;INTERVAL=2;BYDAY=TU'],
    printed: [
      'EDT 1997 Sep 2,9,16,23,30',
      'EST 1997 Nov 4,11,18,25',
      'EST 1998 Jan 6,13,20,27; Mar 3,10,17,24,31',
    ],
    endless: true,
  },
  {
    name: 'yearly in June and July for 10 occurrences',
    start: '19970610T090000',
    rules: ['FREQ=YEARLY;COUNT=10;BYMONTH=6,7'],
    printed: [1997, 1998, 1999, 2000, 2001].map((year) => `EDT ${year} Jun 10; Jul 10`),
  },
  {
    name: 'every other year on January, February and March for 10 occurrences',
    start: '19970310T090000',
    rules: ['FREQ=YEARLY;INTERVAL=2;COUNT=10;BYMONTH=1,2,3'],
    printed: ['EST 1997 Mar 10', ...[1999, 2001, 2003].map((year) => `EST ${year} Jan 10; Feb 10; Mar 10`)],
  },
  {
    name: 'every third year on the 1st, 100th and 200th day for 10 occurrences',
    start: '19970101T090000',
    rules: ['FREQ=YEARLY;INTERVAL=3;COUNT=10;BYYEARDAY=1,100,200'],
    printed: [
      'EST 1997 Jan 1',
      'EDT 1997 Apr 10; Jul 19',
      'EST 2000 Jan 1',
      'EDT 2000 Apr 9; Jul 18',
      'EST 2003 Jan 1',
      'EDT 2003 Apr 10; Jul 19',
      'EST 2006 Jan 1',
    ],
  },
  {
    name: 'every 20th Monday of the year, forever',
    start: '19970519T090000',
    rules: ['FREQ=YEARLY;BYDAY=20MO'],
    printed: ['EDT 1997 May 19', 'EDT 1998 May 18', 'EDT 1999 May 17'],
    endless: true,
  },
  {
    name: 'Monday of week number 20, forever',
    start: '19970512T090000',
    rules: ['FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO'],
    printed: ['EDT 1997 May 12', 'EDT 1998 May 11', 'EDT 1999 May 17'],
    endless: true,
  },
  {
    name: 'every Thursday in March, forever',
    start: '19970313T090000',
    rules: ['FREQ=YEARLY;BYMONTH=3;BYDAY=TH'],
    printed: ['EST 1997 Mar 13,20,27', 'EST 1998 Mar 5,12,19,26', 'EST 1999 Mar 4,11,18,25'],
    endless: true,
  },
  {
    name: 'every Thursday, but only during June, July and August, forever',
    start: '19970605T090000',
    rules: ['FREQ=YEARLY;BYDAY=TH;BYMONTH=6,7,8'],
    printed: [
      'EDT 1997 Jun 5,12,19,26; Jul 3,10,17,24,31; Aug 7,14,21,28',
      'EDT 1998 Jun 4,11,18,25; Jul 2,9,16,23,30; Aug 6,13,20,27',
      'EDT 1999 Jun 3,10,17,24; Jul 1,8,15,22,29; Aug 5,12,19,26',
    ],
    endless: true,
  },
  {
    name: 'every Friday the 13th, forever',
    start: '19970902T090000',
    rules: ['FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13'],
    extra: 'EXDATE;TZID=America/New_York:19970902T090000',
    printed: ['EST 1998 Feb 13; Mar 13; Nov 13', 'EDT 1999 Aug 13', 'EDT 2000 Oct 13'],
    endless: true,
  },
  {
    name: 'the first Saturday that follows the first Sunday of the month, forever',
    start: '19970913T090000',
    rules: ['FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13'],
    printed: [
      'EDT 1997 Sep 13; Oct 11',
      'EST 1997 Nov 8; Dec 13',
      'EST 1998 Jan 10; Feb 7; Mar 7',
      'EDT 1998 Apr 11; May 9; Jun 13',
    ],
    endless: true,
  },
  {
    name: 'every 4 years, the first Tuesday after a Monday in November, forever',
    start: '19961105T090000',
    rules: ['FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8'],
    printed: ['EST 1996 Nov 5', 'EST 2000 Nov 7', 'EST 2004 Nov 2'],
    endless: true,
  },
  {
    name: 'the third instance into the month of one of Tuesday, Wednesday or Thursday, for the next 3 months',
    start: '19970904T090000',
    rules: ['FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3'],
    printed: ['EDT 1997 Sep 4; Oct 7', 'EST 1997 Nov 6'],
  },
  {
    name: 'the second-to-last weekday of the month',
    start: '19970929T090000',
    rules: ['FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2'],
    printed: ['EDT 1997 Sep 29', 'EST 1997 Oct 30; Nov 27; Dec 30', 'EST 1998 Jan 29; Feb 26; Mar 30'],
    endless: true,
  },
  {
    // Printed with UNTIL=19970902T170000Z, which is 13:00 in New York; corrected by erratum 3883.
    name: 'every 3 hours from 9:00 AM to 5:00 PM on a specific day',
    start: '19970902T090000',
    rules: ['FREQ=HOURLY;INTERVAL=3;UNTIL=19970902T210000Z'],
    printed: ['EDT 1997 Sep 2'],
    times: ['09:00', '12:00', '15:00'],
  },
  {
    name: 'every 15 minutes for 6 occurrences',
    start: '19970902T090000',
    rules: ['FREQ=MINUTELY;INTERVAL=15;COUNT=6'],
    printed: ['EDT 1997 Sep 2'],
    times: ['09:00', '09:15', '09:30', '09:45', '10:00', '10:15'],
  },
  {
    name: 'every hour and a half for 4 occurrences',
    start: '19970902T090000',
    rules: ['FREQ=MINUTELY;INTERVAL=90;COUNT=4'],
    printed: ['EDT 1997 Sep 2'],
    times: ['09:00', '10:30', '12:00', '13:30'],
  },
  {
    name: 'every 20 minutes from 9:00 AM to 4:40 PM every day',
    start: '19970902T090000',
    rules: [
      'FREQ=DAILY;BYHOUR=9,10,11,12,13,14,15,16;BYMINUTE=0,20,40',
      'FREQ=MINUTELY;INTERVAL=20;BYHOUR=9,10,11,12,13,14,15,16',
    ],
    printed: ['EDT 1997 Sep 2,3'],
    times: twentyMinutes,
    endless: true,
  },
  {
    name: 'weeks that begin on Monday',
    start: '19970805T090000',
    rules: ['FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO'],
    printed: ['EDT 1997 Aug 5,10,19,24'],
  },
  {
    name: 'weeks that begin on Sunday',
    start: '19970805T090000',
    rules: ['FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU'],
    printed: ['EDT 1997 Aug 5,17,19,31'],
  },
  {
    name: 'an invalid date, February 30, is ignored',
    start: '20070115T090000',
    rules: ['FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5'],
    printed: ['EST 2007 Jan 15,30; Feb 15', 'EDT 2007 Mar 15,30'],
  },
];

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const offsets: Readonly<Record<string, string>> = { EDT: '-04:00', EST: '-05:00' };

function instantsOf(line: string, times: readonly string[]): string[] {
  const [, offset, year, lists] = /^(E[DS]T) (\d{4}) (.*)$/.exec(line)!;
  return lists!.split('; ').flatMap((list) => {
    const [month, days] = list.split(' ');
    return days!.split(',').flatMap((range) => {
      const [first, last = first] = range.split('-').map(Number);
      return Array.from({ length: last! - first! + 1 }, (_, index) => first! + index).flatMap((day) =>
        times.map((time) => {
          const date = [year, months.indexOf(month!) + 1, day]
            .map((part) => String(part).padStart(2, '0'))
            .join('-');
          return `${new Date(`${date}T${time}:00${offsets[offset!]}`).toISOString().slice(0, 19)}Z`;
        }),
      );
    });
  });
}

export const rfcCases: readonly Case[] = examples.flatMap(
  ({ name, start, rules, extra, printed, times = ['09:00'], endless }) => {
    const expected = printed.flatMap((line) => instantsOf(line, times));
    return rules.map((rule) => ({
      name: rules.length > 1 ? `${name} (${rule.split(';')[0]})` : name,
      calendar: calendarOf(
        `DTSTART;TZID=America/New_York:${start}`,
        ...(extra === undefined ? [] : [extra]),
        `RRULE:${rule}`,
      ),
      fromMs: Date.UTC(1990, 0),
      toMs: endless ? Date.parse(expected.at(-1)!) + 1000 : Date.UTC(2030, 0),
      zone: 'UTC',
      expected,
    }));
  },
);

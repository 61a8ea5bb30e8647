import Core
import Foundation
import TestSupport
import Testing

@testable import CarePlans

/// Compares occurrences with a second implementation, in Python with its own time zone database.
@Suite struct ZoneinfoTests {
    private static let python = "/usr/bin/python3"
    /// Number of schedules: 500, or what `TRIBUTARY_CARE_SCHEDULES` names.
    private static let count =
        ProcessInfo.processInfo.environment["TRIBUTARY_CARE_SCHEDULES"].flatMap { Int($0) } ?? 500

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: python)))
    func occurrencesAgreeWithZoneinfo() throws {
        var generator = Seeded.fresh()
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var lines = ""
        for _ in 0..<Self.count {
            let json = RandomSchedule(isPlain: true)(&generator)
            let schedule = try CareSchedule(json)
            let indices = [0, 1, 2] + (0..<5).map { _ in Int.random(in: 3..<400, using: &generator) }
            let events: [JSON] = try indices.map { index in
                guard let event = try schedule.event(occurrence: index) else {
                    return [.number(JSONNumber(index)), .null, .null]
                }
                let start = event.start.timeIntervalSince1970
                let end = event.end.timeIntervalSince1970
                return [.number(JSONNumber(index)), .number(JSONNumber(Int(start))), .number(JSONNumber(Int(end)))]
            }
            lines += (["schedule": json, "events": .array(events)] as JSON).text() + "\n"
        }
        let data = folder.url.appendingPathComponent("schedules.ndjson")
        let script = folder.url.appendingPathComponent("model.py")
        try Data(lines.utf8).write(to: data)
        try Data(Self.model.utf8).write(to: script)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.python)
        process.arguments = [script.path, data.path]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(text)")
        #expect(text == "\(Self.count) schedules agree\n")
        print(text)
    }

    private static let model = #"""
        import json, sys
        from datetime import datetime, timedelta, timezone
        from calendar import monthrange
        from zoneinfo import ZoneInfo

        EPOCH = 978307200
        UTC = timezone.utc

        def local(seconds, zone):
            return datetime.fromtimestamp(seconds, UTC).astimezone(zone)

        def resolved(wall, zone):
            # A skipped wall time moves by the length of the change; of a repeated one the first counts.
            return int(wall.replace(tzinfo=zone, fold=0).timestamp())

        def midnight(seconds, zone):
            day = local(seconds, zone).replace(tzinfo=None, hour=0, minute=0, second=0)
            start = resolved(day, zone)
            # Where midnight is skipped, the day starts after the change.
            before = start
            while local(before, zone).date() < day.date():
                before += 900
            while local(before - 900, zone).date() == day.date() and before > start:
                before -= 900
            return before

        def add_wall(seconds, zone, change):
            now = local(seconds, zone)
            wall = now.replace(tzinfo=None, fold=0)
            new = change(wall)
            if new == wall:
                return seconds
            return resolved(new, zone)

        def add_months(months):
            def change(wall):
                year, month = divmod(wall.year * 12 + wall.month - 1 + months, 12)
                return wall.replace(year=year, month=month + 1, day=min(wall.day, monthrange(year, month + 1)[1]))
            return change

        def step(seconds, interval, zone):
            months = interval.get("year", 0) * 12 + interval.get("month", 0)
            if months:
                seconds = add_wall(seconds, zone, add_months(months))
            for name, length in (("weekOfYear", 7), ("day", 1)):
                days = interval.get(name, 0) * length
                if days:
                    seconds = add_wall(seconds, zone, lambda wall: wall + timedelta(days=days))
            return seconds + interval.get("hour", 0) * 3600 + interval.get("minute", 0) * 60 + interval.get("second", 0)

        def first(element):
            start = int(element["start"]) + EPOCH
            zone = ZoneInfo(element["calendar"]["timeZone"]["identifier"])
            return midnight(start, zone) if element["duration"].get("isAllDay", False) else start

        def events(element, count):
            zone = ZoneInfo(element["calendar"]["timeZone"]["identifier"])
            whole = element["duration"].get("isAllDay", False)
            start = int(element["start"]) + EPOCH
            end = element.get("end")
            found = []
            while len(found) < count:
                if whole:
                    start = midnight(start, zone)
                if end is not None and start >= int(end) + EPOCH:
                    break
                last = (add_wall(start, zone, lambda wall: wall + timedelta(days=1)) - 1 if whole
                        else start + int(element["duration"]["seconds"]))
                found.append((start, last))
                start = step(start, element["interval"], zone)
            return found

        different = 0
        number = 0
        for line in open(sys.argv[1], encoding="utf-8"):
            number += 1
            case = json.loads(line)
            count = max(event[0] for event in case["events"]) + 1
            elements = sorted(case["schedule"]["elements"], key=first)
            every = sorted((event for element in elements for event in events(element, count)), key=lambda event: event[0])
            for index, start, last in case["events"]:
                expected = every[index] if index < len(every) else (None, None)
                if (start, last) != tuple(expected):
                    different += 1
                    if different <= 5:
                        print("different:", index, start, last, expected, json.dumps(case["schedule"]))
                    break
        print(number, "schedules agree" if not different else f"schedules, {different} differ")
        sys.exit(1 if different else 0)
        """#
}

import FHIR
import HealthData

/// The beat-to-beat times of a record of the heart rate variability: a `HeartRateVariabilityMetadataList`.
enum HeartbeatList {
    /// Reads the attributes of the record and of its `InstantaneousBeatsPerMinute`s. Beats that cannot be read are
    /// omitted, and the next beat is marked as following a gap.
    ///
    /// The time of a beat is clock time without a day, in the format of the phone's language: `4:17:18.57 PM`,
    /// `16:17:18,57`. It is the clock time on the day of the recording. The dates of the record have the offset of the
    /// day of the export. The two therefore differ if the clock was changed or the person travelled in between: by
    /// whole quarters of an hour, like the offsets of all zones. A record is shorter than that, so the beats are
    /// computed from its start, and from one another, by the minutes within the quarter.
    static func read(
        _ record: ElementAttributes, beats: [ElementAttributes]
    ) throws(SkipReason) -> (HeartbeatSeries, Repairs) {
        var repairs: Repairs = []
        let times = try ElementOrigin.times(record, &repairs)
        let length = Int(times.end.seconds - times.start.seconds)
        var read: [HeartbeatSeries.Beat] = []
        var isGap = false
        var last: Int?
        var offset = 0
        for beat in beats.prefix(HeartbeatSeries.maximumBeats) {
            guard let clock = beat("time").flatMap(Self.hundredths), let rate = beat("bpm").flatMap(Self.rate) else {
                repairs.insert(.partDropped)
                isGap = true
                continue
            }
            offset += Self.step(from: last ?? Self.clock(of: times.start), to: clock, within: length)
            last = clock
            read.append(HeartbeatSeries.Beat(offset: Double(offset) / 100, isPrecededByGap: isGap, rate: rate))
            isGap = false
        }
        guard let series = HeartbeatSeries(start: times.start, beats: read, origin: ElementOrigin.read(record)) else {
            throw beats.isEmpty ? .valueMissing : .valueNotANumber
        }
        return (series, repairs)
    }

    /// Twelve hours, in hundredths of a second.
    private static let halfDay = 4_320_000
    /// A quarter of an hour, in hundredths of a second.
    private static let quarter = 90_000

    /// Returns the interval between two clock times, in hundredths of a second.
    ///
    /// - Parameter length: seconds from the start to the end of the record; 0 if the record has no end.
    private static func step(from begin: Int, to clock: Int, within length: Int) -> Int {
        let step = remainder(clock - begin, halfDay)
        // The times of the record are rounded down to the second.
        let limit = length > 0 ? (length + 1) * 100 : quarter - 1
        if step <= limit { return step }
        let rest = remainder(step, quarter)
        return rest <= limit ? rest : 0
    }

    /// Returns the time of the person's clock, in hundredths of a second since twelve.
    private static func clock(of instant: HealthInstant) -> Int {
        remainder(Int(instant.seconds) + Int(instant.offsetMinutes) * 60, 43_200) * 100
    }

    /// Parses a time as hundredths of a second since twelve; nil if the text has no hour, minute and second.
    static func hundredths(_ text: String) -> Int? {
        guard text.utf8.count <= 48 else { return nil }
        var numbers: [(value: Int, width: Int)] = []
        var isInNumber = false
        for scalar in text.unicodeScalars {
            let digit = scalar.properties.numericType == .decimal ? scalar.properties.numericValue.map { Int($0) } : nil
            guard let digit else {
                isInNumber = false
                continue
            }
            if !isInNumber { numbers.append((0, 0)) }
            isInNumber = true
            let count = numbers.count - 1
            guard numbers[count].width < 9 else { return nil }
            numbers[count] = (numbers[count].value * 10 + digit, numbers[count].width + 1)
        }
        guard numbers.count == 3 || numbers.count == 4, (0...24).contains(numbers[0].value),
            (0...59).contains(numbers[1].value), (0...60).contains(numbers[2].value)
        else { return nil }
        var fraction = 0
        if numbers.count == 4 {
            var (value, width) = numbers[3]
            while width > 2 { (value, width) = (value / 10, width - 1) }
            fraction = width == 1 ? value * 10 : value
        }
        return ((numbers[0].value % 12) * 3600 + numbers[1].value * 60 + numbers[2].value) * 100 + fraction
    }

    /// Returns the remainder as a number that is not negative.
    private static func remainder(_ value: Int, _ divisor: Int) -> Int {
        let rest = value % divisor
        return rest < 0 ? rest + divisor : rest
    }

    private static func rate(_ text: String) -> JSONNumber? {
        guard let read = try? SpecialMeasure.beats.read(text, unit: "count/min"), (1...500).contains(read.number.double)
        else { return nil }
        return read.number
    }
}

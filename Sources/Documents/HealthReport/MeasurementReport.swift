import Core
import HealthData
import SleepNights

/// The measurements of a person by type: daily summaries, plots, and the names of the files with all rows.
///
/// It has no side effects, and the result does not depend on the order of the measurements. Memory grows by 24 bytes
/// for each sample of an amount (steps, energy) and of sleep, otherwise by the days.
public struct MeasurementReport: Sendable {
    /// Maximum number of types with a section of their own. Further types share one section.
    public static let maximumTypes = 300

    /// A type of measurement on the page.
    public struct Group: Sendable, Hashable {
        /// The identifier of the type, or the name of a measurement that the table of types does not have.
        public let key: String
        /// The name shown to people.
        public let title: String

        /// Creates a group for a type of the table.
        public init(_ type: HealthType) { (key, title) = (type.identifier, type.title) }

        /// Creates a group for a measurement that is not in the table of types.
        public init(named title: String) {
            key = "other:" + title
            self.title = title
        }
    }

    struct Content: Sendable {
        let title: String
        var type: HealthType?
        var file: String?
        var count = 0
        var first: HealthDay?
        var last: HealthDay?
        /// The values by the title of the part and its unit: one series for a quantity, two for a blood pressure.
        var series: [Series: MeasurementDays] = [:]
        var activities: [String: ActivityTotals] = [:]
        /// The number of each coded value.
        var options: [String: Int] = [:]
    }

    struct Series: Sendable, Hashable, Comparable {
        let index: Int
        let title: String
        let unit: String
        let ucum: String?

        static func < (left: Series, right: Series) -> Bool {
            (left.index, left.title, left.unit) < (right.index, right.title, right.unit)
        }
    }

    private(set) var contents: [String: Content] = [:]
    private var amounts = DailyAggregates(of: HealthTypeTable.standard.all)
    private var nights = HealthNights(keepsFingerprints: false)

    /// Creates a report without measurements.
    public init() {}

    /// The number of measurements.
    public var count: Int { contents.values.reduce(0) { $0 + $1.count } }

    /// The number of types.
    public var typeCount: Int { contents.count }

    /// The days of the first and last measurement; nil if no measurement has a day.
    public var days: ClosedRange<HealthDay>? {
        guard let first = contents.values.compactMap(\.first).min(), let last = contents.values.compactMap(\.last).max()
        else { return nil }
        return first...last
    }

    /// Sets the name of the file with all rows of a group. The page contains a link to it.
    public mutating func setFile(_ name: String, of group: Group) { contents[group.key]?.file = name }

    /// Adds a sample of a type of the table.
    public mutating func add(_ sample: HealthSample) {
        let day = HealthDay(sample.start)
        var content = begin(Group(sample.type), on: day)
        content.type = sample.type
        switch sample.value {
        case .quantity(let quantity):
            if sample.type.aggregation == .cumulative {
                amounts.add(sample)
            } else if let measure = sample.type.measure {
                content.add(quantity, of: measure, index: 0, on: day)
            }
        case .bloodPressure(let systolic, let diastolic):
            for (index, quantity) in [systolic, diastolic].enumerated() where index < sample.type.components.count {
                if let quantity {
                    content.add(quantity, of: sample.type.components[index].measure, index: index, on: day)
                }
            }
        case .components(let members):
            for (index, member) in members.enumerated() {
                content.add(member.quantity, of: member.measure, index: index, on: day)
            }
        case .option(let option):
            content.options[option.display, default: 0] += 1
            if sample.type.identifier == Self.sleep {
                nights.add(HealthObservation(sample, fingerprint: sample.fingerprint, subject: nil))
            }
        case .workout(let workout):
            _ = content.activities[workout.activity.display, default: ActivityTotals()].add(workout, of: sample.type)
        case .event: break
        }
        contents[sample.type.identifier] = content
    }

    /// A number of a measurement that is not in the table of types.
    public struct Number: Sendable {
        let title: String
        let value: Double
        let unit: String
        let ucum: String?

        /// - Parameters:
        ///   - title: the name of the measurement, or of its part.
        ///   - unit: the original unit.
        ///   - ucum: the UCUM code of the unit; nil if it is unknown.
        public init(_ title: String, value: Double, unit: String, ucum: String?) {
            self.title = title
            self.value = value
            self.unit = unit
            self.ucum = ucum
        }
    }

    /// Adds a measurement that is not in the table of types.
    ///
    /// - Parameters:
    ///   - numbers: the value and the parts that are numbers.
    ///   - text: the value if it is not a number.
    ///   - day: the day by the person's clock; nil if it is unknown.
    public mutating func add(_ group: Group, numbers: [Number], text: String? = nil, on day: HealthDay?) {
        var content = begin(group, on: day)
        if let day {
            for (index, number) in numbers.prefix(Self.maximumParts).enumerated() {
                let series = Series(index: index, title: number.title, unit: number.unit, ucum: number.ucum)
                guard content.series[series] != nil || content.series.count < Self.maximumParts else { continue }
                content.series[series, default: MeasurementDays()].add(number.value, on: day)
            }
        }
        if numbers.isEmpty, let text, content.options.count < Self.maximumValues || content.options[text] != nil {
            content.options[text, default: 0] += 1
        }
        contents[group.key] = content
    }

    /// Maximum number of plots of one group, and maximum number of its different texts.
    private static let (maximumParts, maximumValues) = (20, 100)

    private mutating func begin(_ group: Group, on day: HealthDay?) -> Content {
        var content = contents[group.key] ?? Content(title: group.title)
        contents[group.key] = nil
        content.count += 1
        if let day {
            content.first = min(content.first ?? day, day)
            content.last = max(content.last ?? day, day)
        }
        return content
    }

    private static let sleep = "HKCategoryTypeIdentifierSleepAnalysis"

    /// Returns the daily totals of a cumulative type.
    mutating func totals(of type: HealthType) -> [DailyAggregate] { amounts.days(of: type) }

    /// Returns the nights, in order.
    mutating func sleepNights() -> [(day: HealthDay, times: SleepTimes)] {
        var found: [(day: HealthDay, times: SleepTimes)] = []
        nights.forEachNight { found.append(($0.day, $0.times)) }
        return found
    }
}

extension MeasurementReport.Content {
    fileprivate mutating func add(
        _ quantity: HealthQuantity, of measure: HealthMeasure, index: Int, on day: HealthDay
    ) {
        let series = MeasurementReport.Series(
            index: index, title: measure.title, unit: measure.unit.display, ucum: measure.unit.ucum)
        self.series[series, default: MeasurementDays()].add(quantity.number.double, on: day)
    }
}

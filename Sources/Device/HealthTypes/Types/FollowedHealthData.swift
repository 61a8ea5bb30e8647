import FHIR

/// The health data that phones of a study follow: `health-sync.json` in the study's folder, which devices fetch from
/// `/study/health-sync.json`.
///
/// ```json
/// {
///   "types": ["HKQuantityTypeIdentifierHeartRate"], "lookBackDays": 90,
///   "expectHours": {"HKQuantityTypeIdentifierStepCount": 48}
/// }
/// ```
///
/// The file never extends the signed Contract: only types that the participant's Contract allows are read.
public struct FollowedHealthData: Sendable, Hashable {
    /// The identifiers of the types that are followed; nil for all that the signed Contract allows.
    public var types: [String]?
    /// Number of days before the start of synchronization for which history is read; 0 for no history.
    public var lookBackDays: Int
    /// Maximum hours without data, by the identifier of the type. A stream without data for longer is silent.
    public var expectHours: [String: Int]

    /// Creates the default settings: all types, 30 days, no expected hours.
    public init(types: [String]? = nil, lookBackDays: Int = 30, expectHours: [String: Int] = [:]) {
        self.types = types
        self.lookBackDays = lookBackDays
        self.expectHours = expectHours
    }

    /// Maximum of `lookBackDays`: ten years.
    static let maximumDays = 3_650
    /// Maximum of `expectHours`: one year.
    static let maximumHours = 8_760

    /// Reads the file.
    ///
    /// - Parameter table: the study's types. The file may name only these.
    /// - Throws: the fault and its path. A file with a fault changes no setting.
    public init(_ json: JSON, table: HealthTypeTable) throws(HealthTypeTableError) {
        self.init()
        let members = try SupplementValue(json: json, path: "").members(["types", "lookBackDays", "expectHours"])
        let known = Set(table.all.map(\.identifier))
        if let list = members["types"] {
            var types: [String] = []
            for element in try list.elements() {
                let identifier = try element.text()
                guard known.contains(identifier) else {
                    throw element.fault(.valueInvalid, "\(identifier) is not in the table or health-types.json.")
                }
                guard !types.contains(identifier) else {
                    throw element.fault(.identifierRepeated, "The type occurs twice in the list.")
                }
                types.append(identifier)
            }
            self.types = types
        }
        if let days = members["lookBackDays"] { lookBackDays = try days.whole(in: 0...Self.maximumDays) }
        if let hours = members["expectHours"] {
            for (identifier, value) in try hours.members(known) {
                expectHours[identifier] = try value.whole(in: 1...Self.maximumHours)
            }
        }
    }
}

extension SupplementValue {
    fileprivate func whole(in range: ClosedRange<Int>) throws(HealthTypeTableError) -> Int {
        guard let value = Int(exactly: try number()), range.contains(value) else {
            throw fault(
                .valueInvalid, "A whole number from \(range.lowerBound) to \(range.upperBound) is expected here.")
        }
        return value
    }
}

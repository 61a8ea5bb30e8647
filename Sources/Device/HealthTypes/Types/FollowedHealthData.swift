import FHIR

/// What a study has phones follow of their health data: `health-sync.json` in its folder, which devices fetch from
/// `/study/health-sync.json`.
///
/// ```json
/// {"types": ["HKQuantityTypeIdentifierHeartRate"], "lookBackDays": 90, "expectHours": {"HKQuantityTypeIdentifierStepCount": 48}}
/// ```
///
/// Whatever stands here, nothing is read that the participant's signed Contract does not allow.
public struct FollowedHealthData: Sendable, Hashable {
    /// The identifiers of the types that are followed; nil for all that the signed Contract allows.
    public var types: [String]?
    /// So many days before the start the history begins; 0 for none.
    public var lookBackDays: Int
    /// The hours within which something of a type is expected, by its identifier: a stream that tells nothing for longer is
    /// silent.
    public var expectHours: [String: Int]

    /// A study that says nothing: 30 days, and nothing is expected.
    public init(types: [String]? = nil, lookBackDays: Int = 30, expectHours: [String: Int] = [:]) {
        self.types = types
        self.lookBackDays = lookBackDays
        self.expectHours = expectHours
    }

    /// Ten years.
    static let mostDays = 3_650
    /// A year.
    static let mostHours = 8_760

    /// Reads the file.
    ///
    /// - Parameter table: the study's types, of which it may name those.
    /// - Throws: what is wrong and where. Nothing is taken over from a file with a fault.
    public init(_ json: JSON, table: HealthTypeTable) throws(HealthTypeTableError) {
        self.init()
        let members = try SupplementValue(json: json, place: "").members(["types", "lookBackDays", "expectHours"])
        let known = Set(table.all.map(\.identifier))
        if let list = members["types"] {
            var types: [String] = []
            for element in try list.elements() {
                let identifier = try element.text()
                guard known.contains(identifier) else {
                    throw element.fault(.valueInvalid, "\(identifier) is no type of the table or of health-types.json.")
                }
                guard !types.contains(identifier) else {
                    throw element.fault(.identifierRepeated, "The type stands in the list twice.")
                }
                types.append(identifier)
            }
            self.types = types
        }
        if let days = members["lookBackDays"] { lookBackDays = try days.whole(in: 0...Self.mostDays) }
        if let hours = members["expectHours"] {
            for (identifier, value) in try hours.members(known) {
                expectHours[identifier] = try value.whole(in: 1...Self.mostHours)
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

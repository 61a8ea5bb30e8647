/// The attributes that are read. Values of other attributes are ignored.
enum ExportAttribute: Int32, CaseIterable {
    case type, sourceName, sourceVersion, device, unit, creationDate, startDate, endDate, value, key
    case workoutActivityType, duration, durationUnit, totalDistance, totalDistanceUnit, totalEnergyBurned
    case totalEnergyBurnedUnit, average, minimum, maximum, sum, date, path

    private typealias Entry = (name: StaticString, attribute: ExportAttribute)

    /// The names, with those of iOS 8 at the end.
    private static let names: [Entry] = [
        ("type", .type), ("sourceName", .sourceName), ("sourceVersion", .sourceVersion), ("device", .device),
        ("unit", .unit), ("creationDate", .creationDate), ("startDate", .startDate), ("endDate", .endDate),
        ("value", .value), ("key", .key), ("workoutActivityType", .workoutActivityType), ("duration", .duration),
        ("durationUnit", .durationUnit), ("totalDistance", .totalDistance),
        ("totalDistanceUnit", .totalDistanceUnit), ("totalEnergyBurned", .totalEnergyBurned),
        ("totalEnergyBurnedUnit", .totalEnergyBurnedUnit), ("average", .average), ("minimum", .minimum),
        ("maximum", .maximum), ("sum", .sum), ("date", .date), ("path", .path), ("source", .sourceName),
        ("source_name", .sourceName), ("start_date", .startDate), ("end_date", .endDate),
        ("creation_date", .creationDate),
    ]

    /// The name in systems since iOS 9.
    var name: StaticString { Self.names.first { $0.attribute == self }?.name ?? "" }

    private static let byLength: [[Entry]] = {
        var table: [[Entry]] = Array(repeating: [], count: 24)
        for entry in names { table[entry.name.utf8CodeUnitCount].append(entry) }
        return table
    }()

    /// Returns the raw value of the attribute with the name; -1 if there is none.
    ///
    /// - Parameter isJoined: whether the name contains spaces, which are then treated as `_`.
    static func find(_ name: UnsafeBufferPointer<UInt8>, isJoined: Bool) -> Int32 {
        if isJoined {
            let joined = name.map { $0 <= 0x20 || $0 == MarkupCleaner.mark ? UInt8(ascii: "_") : $0 }
            return joined.withUnsafeBufferPointer { find($0, isJoined: false) }
        }
        guard name.count < byLength.count else { return -1 }
        for entry in byLength[name.count] where name.elementsEqual(entry.name) { return entry.attribute.rawValue }
        return -1
    }
}

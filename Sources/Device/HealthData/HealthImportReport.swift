/// The import report: the result of every element that was read. No element is lost silently.
///
/// The counts add up: ``read`` = ``converted`` + all of ``skipped``. ``converted`` is the number of observations
/// created; ``repaired`` counts repaired observations, by kind of repair. Elements are the records (including those
/// inside correlations and workouts), correlations, workouts, activity summaries, clinical records, audiograms and
/// vision prescriptions. Parts of an element (metadata, events, routes) are counted in ``parts``. Content that is never
/// read (the person's characteristics, ECG files, route files) is counted in ``notRead``.
public struct HealthImportReport: Sendable {
    /// Whether the source was read to its end.
    public enum Outcome: String, Sendable {
        /// The source was read to its end.
        case complete
        /// The source is truncated or cannot be read further. The elements before that are converted.
        case truncated
    }

    /// Whether the source was read to its end.
    public var outcome = Outcome.complete
    /// The reason why the source was not read to its end: a stable code and a sentence.
    public var problem: (code: String, message: String)?
    /// The elements, counted by their name in the source: `Record`, `Workout`.
    public var elements: [String: Int] = [:]
    /// The parts of elements, counted by name: `MetadataEntry`, `WorkoutEvent`.
    public var parts: [String: Int] = [:]
    /// The elements and files that are never read, counted by name or kind.
    public var notRead: [String: Int] = [:]
    /// The resources that are not elements (from separate files, or derived from other observations), counted by type
    /// and outcome. They are not included in ``read``.
    public var otherResources: [String: [String: Int]] = [:]
    /// The problems of files that gave no resource, counted by code.
    public var fileProblems: [String: Int] = [:]
    /// The repairs and omissions in files, counted by code.
    public var fileNotes: [String: Int] = [:]
    /// Bytes and values that were filtered out of the source, by kind.
    public var filtered: [String: Int] = [:]
    /// Observations with a value outside of the plausible range, by type. They are kept.
    public var implausible: [String: Int] = [:]
    private var omissions = Array(repeating: 0, count: MetadataOmission.allCases.count)
    private var repairCounts = Array(repeating: 0, count: Repairs.kinds.count)
    private var rows: [Row] = []
    private var index: [String: Int] = [:]

    /// The counts of one type, in plain arrays, because a row is updated for every element.
    private struct Row {
        let name: String
        var converted = 0
        var skipped = Array(repeating: 0, count: SkipReason.all.count)
    }

    /// Creates an empty import report.
    public init() {}

    /// The number of elements that were converted or skipped.
    public var read: Int { converted + skippedTotal }
    /// The number of elements that were converted.
    public var converted: Int { rows.reduce(0) { $0 + $1.converted } }
    /// The number of elements that were skipped.
    public var skippedTotal: Int { rows.reduce(0) { $0 + $1.skipped.reduce(0, +) } }

    /// The number of observations created, by type.
    public var convertedByType: [String: Int] {
        Dictionary(rows.filter { $0.converted > 0 }.map { ($0.name, $0.converted) }, uniquingKeysWith: +)
    }

    /// The skipped elements, counted by type and reason.
    public var skipped: [String: [SkipReason: Int]] {
        var result: [String: [SkipReason: Int]] = [:]
        for row in rows {
            for (index, reason) in SkipReason.all.enumerated() where row.skipped[index] > 0 {
                result[row.name, default: [:]][reason] = row.skipped[index]
            }
        }
        return result
    }

    /// The metadata that is not converted although its element was read, counted by reason.
    public var droppedMetadata: [MetadataOmission: Int] {
        Dictionary(
            zip(MetadataOmission.allCases, omissions).filter { $0.1 > 0 }.map { ($0.0, $0.1) }, uniquingKeysWith: +)
    }

    /// The repaired observations, by kind of repair. An observation can have several.
    public var repaired: [String: Int] {
        var result: [String: Int] = [:]
        for (kind, count) in zip(Repairs.kinds, repairCounts) where count > 0 { result[kind.code] = count }
        return result
    }

    /// Returns the row of a type, for counting. The number of names is limited, and they must have HealthKit's form,
    /// because an import report can be shown to people who may not see the data.
    ///
    /// - Parameter isTyped: whether the name is that of a type in a table, which can be a study's own type with a name
    ///   of any form.
    public mutating func row(for type: String, isTyped: Bool = false) -> Int {
        if let row = index[type] { return row }
        let name = (isTyped || Self.isName(type)) && rows.count < 2000 ? type : "unrecognised-type"
        if name != type, let row = index[name] { return row }
        rows.append(Row(name: name))
        index[name] = rows.count - 1
        return rows.count - 1
    }

    /// Returns the names of the rows from an index on, in the order in which the rows were added.
    public func rowNames(from number: Int) -> [String] { rows.dropFirst(number).map(\.name) }

    /// Adds the counts of another import report.
    public mutating func merge(_ other: HealthImportReport) {
        for row in other.rows {
            let target = self.row(for: row.name, isTyped: true)
            rows[target].converted += row.converted
            for index in row.skipped.indices { rows[target].skipped[index] += row.skipped[index] }
        }
        for index in repairCounts.indices { repairCounts[index] += other.repairCounts[index] }
        for index in omissions.indices { omissions[index] += other.omissions[index] }
        elements.merge(other.elements, uniquingKeysWith: +)
        parts.merge(other.parts, uniquingKeysWith: +)
        notRead.merge(other.notRead, uniquingKeysWith: +)
        filtered.merge(other.filtered, uniquingKeysWith: +)
        fileProblems.merge(other.fileProblems, uniquingKeysWith: +)
        fileNotes.merge(other.fileNotes, uniquingKeysWith: +)
        otherResources.merge(other.otherResources) { $0.merging($1, uniquingKeysWith: +) }
        implausible.merge(other.implausible, uniquingKeysWith: +)
        if other.outcome != .complete { outcome = other.outcome }
        problem = problem ?? other.problem
    }

    /// Counts metadata as dropped.
    public mutating func drop(_ omission: MetadataOmission) {
        guard let index = MetadataOmission.allCases.firstIndex(of: omission) else { return }
        omissions[index] += 1
    }

    /// Counts an element of a row as skipped.
    public mutating func skip(_ row: Int, _ reason: SkipReason) {
        guard let column = SkipReason.all.firstIndex(of: reason) else { return }
        rows[row].skipped[column] += 1
    }

    /// Counts an element of a row as converted.
    public mutating func convert(_ row: Int, repairs: Repairs) {
        rows[row].converted += 1
        guard !repairs.isEmpty else { return }
        for (index, kind) in Repairs.kinds.enumerated() where repairs.contains(kind.repair) { repairCounts[index] += 1 }
    }

    /// Moves counts from converted to skipped, for elements that turned out to be stored already.
    public mutating func recount(_ key: CounterKey, as reason: SkipReason, times: Int = 1) {
        guard let row = key.row else {
            otherResources[key.kind, default: [:]]["converted", default: 0] -= times
            if otherResources[key.kind]?["converted"] == 0 { otherResources[key.kind]?["converted"] = nil }
            otherResources[key.kind, default: [:]][reason.rawValue, default: 0] += times
            return
        }
        guard rows.indices.contains(row), let column = SkipReason.all.firstIndex(of: reason) else { return }
        rows[row].converted -= times
        rows[row].skipped[column] += times
        for (index, kind) in Repairs.kinds.enumerated() where key.repairs.contains(kind.repair) {
            repairCounts[index] -= times
        }
        guard key.isImplausible, let count = implausible[key.kind] else { return }
        implausible[key.kind] = count > times ? count - times : nil
    }

    private static func isName(_ text: String) -> Bool {
        (1...100).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
            }
            && (text.hasPrefix("HK") || sourceElements.contains(text))
    }

    /// Elements that are not samples and have rows under their own names.
    private static let sourceElements: Set<String> = [
        "ActivitySummary", "ClinicalRecord", "Audiogram", "VisionPrescription", "Record", "Correlation", "Workout",
        "other",
    ]
}

/// The import report: what became of every element that was read. Nothing is lost silently.
///
/// It adds up: ``read`` = ``converted`` + all of ``skipped``. ``converted`` is the number of observations made;
/// ``repaired`` counts those among them that had to be mended, by kind. Elements are the records (those inside
/// correlations and workouts too), correlations, workouts, activity summaries, clinical records, audiograms and vision
/// prescriptions. What belongs to an element (metadata, events, routes) is counted in ``parts``; what is never looked
/// into (the person's characteristics, ECG files, routes' files) in ``notRead``.
public struct HealthImportReport: Sendable {
    /// Whether the source was read to its end.
    public enum Outcome: String, Sendable {
        /// The source was read to its end.
        case complete
        /// The source ends in the middle or cannot be read further; what came before is converted.
        case truncated
    }

    /// Whether the source was read to its end.
    public var outcome = Outcome.complete
    /// Why the source was not read to its end, as a stable code with a sentence.
    public var problem: (code: String, message: String)?
    /// The elements by the name they have in the source: `Record`, `Workout`.
    public var elements: [String: Int] = [:]
    /// The parts of elements, counted by name: `MetadataEntry`, `WorkoutEvent`.
    public var parts: [String: Int] = [:]
    /// The elements and files that are never read, counted by name or kind.
    public var notRead: [String: Int] = [:]
    /// The resources besides the elements (from files of their own, or derived from other observations), counted by
    /// type and outcome. They are not among ``read``.
    public var besides: [String: [String: Int]] = [:]
    /// Why files gave nothing, by code.
    public var fileProblems: [String: Int] = [:]
    /// The repairs and omissions in files, counted by code.
    public var fileNotes: [String: Int] = [:]
    /// Bytes and values that were filtered out of the source, by kind.
    public var filtered: [String: Int] = [:]
    /// Observations whose value lies outside of what is likely, by type. They are kept.
    public var implausible: [String: Int] = [:]
    private var omissions = Array(repeating: 0, count: MetadataOmission.allCases.count)
    private var repairCounts = Array(repeating: 0, count: Repairs.kinds.count)
    private var rows: [Row] = []
    private var index: [String: Int] = [:]

    /// The counts of one type. Plain arrays: a line is touched for every element.
    private struct Row {
        let name: String
        var converted = 0
        var skipped = Array(repeating: 0, count: SkipReason.all.count)
    }

    /// Makes an empty import report.
    public init() {}

    /// The elements that were converted or skipped.
    public var read: Int { converted + skippedTotal }
    /// The elements that were converted.
    public var converted: Int { rows.reduce(0) { $0 + $1.converted } }
    /// The elements that were skipped.
    public var skippedTotal: Int { rows.reduce(0) { $0 + $1.skipped.reduce(0, +) } }

    /// The observations made, by type.
    public var convertedByType: [String: Int] {
        Dictionary(rows.filter { $0.converted > 0 }.map { ($0.name, $0.converted) }, uniquingKeysWith: +)
    }

    /// The skipped elements, counted by type and reason.
    public var skipped: [String: [SkipReason: Int]] {
        var result: [String: [SkipReason: Int]] = [:]
        for row in rows {
            for (place, reason) in SkipReason.all.enumerated() where row.skipped[place] > 0 {
                result[row.name, default: [:]][reason] = row.skipped[place]
            }
        }
        return result
    }

    /// The metadata of elements that were read and that are not passed on, by the reason.
    public var droppedMetadata: [MetadataOmission: Int] {
        Dictionary(
            zip(MetadataOmission.allCases, omissions).filter { $0.1 > 0 }.map { ($0.0, $0.1) }, uniquingKeysWith: +)
    }

    /// The observations that had to be mended, by kind. One can have several.
    public var repaired: [String: Int] {
        var result: [String: Int] = [:]
        for (kind, count) in zip(Repairs.kinds, repairCounts) where count > 0 { result[kind.code] = count }
        return result
    }

    /// The row of a type, for counting. The names are bounded in number and kept to HealthKit's form, as an import
    /// report may be shown where the data may not.
    ///
    /// - Parameter isTyped: whether the name is that of a type in a table, which may be a study's own and of any form.
    public mutating func row(for type: String, isTyped: Bool = false) -> Int {
        if let row = index[type] { return row }
        let name = (isTyped || Self.isName(type)) && rows.count < 2000 ? type : "unrecognised-type"
        if name != type, let row = index[name] { return row }
        rows.append(Row(name: name))
        index[name] = rows.count - 1
        return rows.count - 1
    }

    /// The names of the rows from a number on, as they came up.
    public func rowNames(from number: Int) -> [String] { rows.dropFirst(number).map(\.name) }

    /// Adds what another part of the work has counted.
    public mutating func merge(_ other: HealthImportReport) {
        for row in other.rows {
            let place = self.row(for: row.name, isTyped: true)
            rows[place].converted += row.converted
            for index in row.skipped.indices { rows[place].skipped[index] += row.skipped[index] }
        }
        for index in repairCounts.indices { repairCounts[index] += other.repairCounts[index] }
        for index in omissions.indices { omissions[index] += other.omissions[index] }
        elements.merge(other.elements, uniquingKeysWith: +)
        parts.merge(other.parts, uniquingKeysWith: +)
        notRead.merge(other.notRead, uniquingKeysWith: +)
        filtered.merge(other.filtered, uniquingKeysWith: +)
        fileProblems.merge(other.fileProblems, uniquingKeysWith: +)
        fileNotes.merge(other.fileNotes, uniquingKeysWith: +)
        besides.merge(other.besides) { $0.merging($1, uniquingKeysWith: +) }
        implausible.merge(other.implausible, uniquingKeysWith: +)
        if other.outcome != .complete { outcome = other.outcome }
        problem = problem ?? other.problem
    }

    /// Counts a piece of metadata as dropped.
    public mutating func drop(_ omission: MetadataOmission) {
        guard let place = MetadataOmission.allCases.firstIndex(of: omission) else { return }
        omissions[place] += 1
    }

    /// Counts an element of a row as skipped.
    public mutating func skip(_ row: Int, _ reason: SkipReason) {
        guard let place = SkipReason.all.firstIndex(of: reason) else { return }
        rows[row].skipped[place] += 1
    }

    /// Counts an element of a row as converted.
    public mutating func convert(_ row: Int, repairs: Repairs) {
        rows[row].converted += 1
        guard !repairs.isEmpty else { return }
        for (place, kind) in Repairs.kinds.enumerated() where repairs.contains(kind.repair) { repairCounts[place] += 1 }
    }

    /// Counts what was counted as converted as skipped: it turned out to be stored before.
    public mutating func recount(_ place: Place, as reason: SkipReason, times: Int = 1) {
        guard let row = place.row else {
            besides[place.kind, default: [:]]["converted", default: 0] -= times
            if besides[place.kind]?["converted"] == 0 { besides[place.kind]?["converted"] = nil }
            besides[place.kind, default: [:]][reason.rawValue, default: 0] += times
            return
        }
        guard rows.indices.contains(row), let column = SkipReason.all.firstIndex(of: reason) else { return }
        rows[row].converted -= times
        rows[row].skipped[column] += times
        for (index, kind) in Repairs.kinds.enumerated() where place.repairs.contains(kind.repair) {
            repairCounts[index] -= times
        }
        guard place.isImplausible, let count = implausible[place.kind] else { return }
        implausible[place.kind] = count > times ? count - times : nil
    }

    private static func isName(_ text: String) -> Bool {
        (1...100).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
            }
            && (text.hasPrefix("HK") || sourceElements.contains(text))
    }

    /// Elements that are no samples and stand in the import report under their own names.
    private static let sourceElements: Set<String> = [
        "ActivitySummary", "ClinicalRecord", "Audiogram", "VisionPrescription", "Record", "Correlation", "Workout",
        "other",
    ]
}

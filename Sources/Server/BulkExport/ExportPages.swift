import FHIRSearch
import Foundation
import RecordStorage
import Storage

/// Reads the pages of a selection: two at a time where they can be divided by record numbers, and the next ones while
/// the last ones are used. Reading and writing keep two cores busy, with only a few pages in memory.
struct ExportPages: Sendable {
    let database: any SQLDatabase
    let selection: ExportSelection
    /// The largest number of a record at the start of the export.
    let last: Int64
    /// The number of bytes of a page.
    let bytes: Int
    private let store = RecordStore()

    init(_ selection: ExportSelection, through last: Int64, bytes: Int, of database: any SQLDatabase) {
        self.database = database
        self.selection = selection
        self.last = last
        self.bytes = bytes
    }

    /// A range of record numbers, and the cursor in it.
    private struct NumberRange: Sendable {
        var cursor: ExportStatement.Cursor
        let through: Int64
    }

    private static let concurrentRanges = 2
    /// The length of a range: some pages of small resources.
    private static let window: Int64 = 16_384

    /// Calls the closure with the pages, one after the other.
    func each(_ body: (ExportPage) async throws -> Void) async throws {
        guard var next = try await beginning() else { return }
        func nextRange() -> NumberRange? {
            guard next < last else { return nil }
            let end = isWhole ? last : min(last, next + Self.window)
            defer { next = end }
            return NumberRange(cursor: ExportStatement.Cursor(number: isWhole ? 0 : next), through: end)
        }
        var ranges = (0..<Self.concurrentRanges).compactMap { _ in nextRange() }
        var ready: [ExportPage] = []
        while !ranges.isEmpty || !ready.isEmpty {
            let current = ranges
            async let reading = pages(of: current)
            for page in ready { try await body(page) }
            ready = try await reading
            ranges = zip(current, ready).compactMap { range, page in
                guard let cursor = page.next else { return nil }
                return NumberRange(cursor: cursor, through: range.through)
            }
            while ranges.count < Self.concurrentRanges, let range = nextRange() { ranges.append(range) }
        }
    }

    /// Whether the selection is read as one range, patient by patient.
    private var isWhole: Bool { if case .only = selection.patientsRead { true } else { false } }

    /// Returns the number before the first record of the type; nil where there is none.
    private func beginning() async throws -> Int64? {
        let type = SQLValue(selection.type)
        return try await database.read { transaction in
            try transaction.first(Self.firstSQL, [type])?.integerIfPresent("number").map { $0 - 1 }
        }
    }

    /// Parameter: type.
    static let firstSQL = "SELECT min(number) AS number FROM record WHERE type = ? AND deleted = 0"

    private func pages(of ranges: [NumberRange]) async throws -> [ExportPage] {
        try await withThrowingTaskGroup(of: (Int, ExportPage).self) { group in
            for (index, range) in ranges.enumerated() {
                group.addTask {
                    let (store, selection, bytes) = (store, selection, bytes)
                    let page = try await database.read { transaction in
                        try store.page(
                            of: selection, after: range.cursor, through: range.through, bytes: bytes, in: transaction)
                    }
                    return (index, page)
                }
            }
            var pages = Array(repeating: ExportPage(), count: ranges.count)
            for try await (index, page) in group { pages[index] = page }
            return pages
        }
    }
}

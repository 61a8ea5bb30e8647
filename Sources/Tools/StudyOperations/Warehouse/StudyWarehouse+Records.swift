import Foundation
import Storage
import Warehouse

extension StudyWarehouse {
    /// Maximum number of records that one transaction loads.
    private static let loaded = 2_000
    /// Number of slices that are read or prepared concurrently with the one that is written.
    private static let ahead = 3

    /// Loads all records after the load's present number, slice by slice, each in a transaction. While one is written,
    /// the next ones are prepared, and later ones are read.
    func loadRecords(
        _ load: (reload: WarehouseReload, report: WarehouseReload.Report), progress: (Int) -> Void
    ) async throws -> (reload: WarehouseReload, report: WarehouseReload.Report) {
        let (database, clock, begun) = (database, clock, load.reload)
        return try await withThrowingTaskGroup(of: Step.self) { group in
            var load = load
            var slices: [Int: WarehouseReload.Slice] = [:]
            var (read, written) = (0, 0)
            // The number after which the next page begins; nil while it is unknown.
            var cursor: Int64? = begun.lastNumber
            var (isWriting, hasMore) = (false, true)
            while hasMore {
                if let next = cursor, read - written <= Self.ahead {
                    let number = read
                    (read, cursor) = (read + 1, nil)
                    group.addTask {
                        .read(number, try await database.read { try begun.page(after: next, of: Self.loaded, in: $0) })
                    }
                }
                if !isWriting, let slice = slices.removeValue(forKey: written) {
                    isWriting = true
                    let (reload, report) = load
                    group.addTask {
                        try await database.write { transaction in
                            var (reload, report) = (reload, report)
                            let hasMore = try reload.load(slice, into: &report, at: clock(), in: transaction)
                            return .written(reload, report, hasMore: hasMore)
                        }
                    }
                }
                switch try await group.next() {
                case .read(let number, let page):
                    cursor = page.last
                    group.addTask { .made(number, try begun.slice(of: page)) }
                case .made(let number, let slice): slices[number] = slice
                case .written(let reload, let report, let more):
                    (load, isWriting, hasMore) = ((reload, report), false, more)
                    written += 1
                    progress(report.resources)
                case nil: hasMore = false
                }
            }
            group.cancelAll()
            return load
        }
    }

    /// A completed step of loading a slice.
    private enum Step: Sendable {
        case read(Int, WarehouseReload.Page)
        case made(Int, WarehouseReload.Slice)
        case written(WarehouseReload, WarehouseReload.Report, hasMore: Bool)
    }
}

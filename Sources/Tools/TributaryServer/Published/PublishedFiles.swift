import Foundation
import ServiceLifecycle

/// A value that is made of some of the study's files and of those in some of its folders: once, and again when a file changes.
///
/// A file that is added, removed or replaced changes its folder, which is looked at each time. The files themselves are looked at
/// once a second at most: what a submission costs does not depend on how many files are published.
actor PublishedFiles<Value: Sendable> {
    private let places: [URL]
    private let make: @Sendable (Value?) -> Value
    private let now: @Sendable () -> ContinuousClock.Instant
    private var present: Present?

    private struct Present {
        /// Of the places themselves.
        var folders: [String]
        /// Of the files in them.
        var files: [String]
        var checkedAt: ContinuousClock.Instant
        var value: Value
    }

    /// The time after which the files are looked at again.
    private static var interval: Duration { .seconds(1) }

    init(_ places: [URL], _ make: @escaping @Sendable () -> Value) {
        self.init(places) { _ in make() }
    }

    /// - Parameters:
    ///   - now: the clock.
    ///   - make: makes the value; the former one is there for what cannot be read meanwhile.
    init(
        _ places: [URL], now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        _ make: @escaping @Sendable (Value?) -> Value
    ) {
        self.places = places
        self.now = now
        self.make = make
    }

    /// The number of times that the value was made.
    private(set) var edition = 0
    /// The number of files and folders that were looked at, each time counted.
    private(set) var lookups = 0

    /// Returns what the files make now, where that is another edition than the one that is known.
    func value(otherThan known: Int) -> (edition: Int, value: Value)? {
        let value = value()
        return edition == known ? nil : (edition, value)
    }

    /// Returns what the files make now, with its edition.
    func current() -> (edition: Int, value: Value) {
        let value = value()
        return (edition, value)
    }

    /// Returns what the files make now.
    func value() -> Value {
        let at = now()
        let folders = places.map { mark(of: $0) }
        if let present, present.folders == folders, at - present.checkedAt < Self.interval { return present.value }
        let files = places.flatMap { marks(of: $0) }
        if let present, present.files == files {
            self.present?.folders = folders
            self.present?.checkedAt = at
            return present.value
        }
        let value = make(present?.value)
        present = Present(folders: folders, files: files, checkedAt: at, value: value)
        edition += 1
        return value
    }

    /// Name, size and time of each file: what differs when a file was changed.
    private func marks(of url: URL) -> [String] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: url.path) else { return [mark(of: url)] }
        return names.sorted().map { mark(of: url.appendingPathComponent($0)) }
    }

    private func mark(of url: URL) -> String {
        lookups += 1
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
        let size = (attributes?[.size] as? NSNumber)?.int64Value ?? -1
        let time = (attributes?[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
        return "\(url.path) \(size) \(time)"
    }
}

extension PublishedFiles {
    /// Passes what the files make, at once and after each change, until the service is to stop.
    ///
    /// - Parameter body: returns whether it is done with that edition; otherwise it is passed again.
    nonisolated func follow(_ body: (_ edition: Int, _ value: Value) async -> Bool) async {
        var known = 0
        while !_Concurrency.Task.isShuttingDownGracefully, !_Concurrency.Task.isCancelled {
            if let present = await value(otherThan: known), await body(present.edition, present.value) {
                known = present.edition
            }
            await cancelWhenGracefulShutdown { try? await _Concurrency.Task.sleep(for: .seconds(1)) }
        }
    }
}

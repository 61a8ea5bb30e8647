import Foundation
import ServiceLifecycle

/// What is made of some of the study's files and of those in some of its folders: once, and again when a file changes.
actor PublishedFiles<Value: Sendable> {
    private let places: [URL]
    private let make: @Sendable (Value?) -> Value
    private var present: (marks: [String], value: Value)?

    init(_ places: [URL], _ make: @escaping @Sendable () -> Value) {
        self.init(places) { _ in make() }
    }

    /// - Parameter make: makes it; what it made before is there for what cannot be read meanwhile.
    init(_ places: [URL], _ make: @escaping @Sendable (Value?) -> Value) {
        self.places = places
        self.make = make
    }

    /// How often it was made.
    private(set) var edition = 0

    /// Returns what the files make now, where that is another edition than the one that is known.
    func value(otherThan known: Int) -> (edition: Int, value: Value)? {
        let value = value()
        return edition == known ? nil : (edition, value)
    }

    /// Returns what the files make now.
    func value() -> Value {
        let marks = places.flatMap(Self.marks)
        if let present, present.marks == marks { return present.value }
        let value = make(present?.value)
        present = (marks, value)
        edition += 1
        return value
    }

    /// Name, size and time of each file: what differs when a file was changed.
    private static func marks(of url: URL) -> [String] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: url.path) else { return [mark(of: url)] }
        return names.sorted().map { mark(of: url.appendingPathComponent($0)) }
    }

    private static func mark(of url: URL) -> String {
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

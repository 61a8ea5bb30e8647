import Foundation
import ServiceLifecycle

/// A value made from some of the study's files and folders. It is made once, and again when a file changes.
///
/// Adding, removing or replacing a file changes its folder, which is checked each time. The files themselves are
/// checked once per second or less often, so that the cost of a submission does not depend on the number of published
/// files.
package actor PublishedFiles<Value: Sendable> {
    private let urls: [URL]
    private let make: @Sendable (Value?) -> Value
    private let now: @Sendable () -> ContinuousClock.Instant
    private var present: Present?

    private struct Present {
        /// The marks of the files and folders themselves.
        var folders: [String]
        /// The marks of the files in the folders.
        var files: [String]
        var checkedAt: ContinuousClock.Instant
        var value: Value
    }

    /// The time after which the files are checked again.
    private static var interval: Duration { .seconds(1) }

    /// - Parameter make: makes the value.
    package init(_ urls: [URL], _ make: @escaping @Sendable () -> Value) {
        self.init(urls) { _ in make() }
    }

    /// - Parameters:
    ///   - now: returns the present time.
    ///   - make: makes the value. The former value replaces parts that cannot be read.
    package init(
        _ urls: [URL], now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        _ make: @escaping @Sendable (Value?) -> Value
    ) {
        self.urls = urls
        self.now = now
        self.make = make
    }

    /// The number of times that the value was made.
    private(set) var edition = 0
    /// The number of checks of files and folders.
    private(set) var lookups = 0

    /// Returns the present value, if its edition differs from the known one.
    func value(otherThan known: Int) -> (edition: Int, value: Value)? {
        let value = value()
        return edition == known ? nil : (edition, value)
    }

    /// Returns the present value with its edition.
    package func current() -> (edition: Int, value: Value) {
        let value = value()
        return (edition, value)
    }

    /// Returns the present value.
    package func value() -> Value {
        let at = now()
        let folders = urls.map { mark(of: $0) }
        if let present, present.folders == folders, at - present.checkedAt < Self.interval { return present.value }
        let files = urls.flatMap { marks(of: $0) }
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

    /// Returns the name, size and time of each file, which differ after a change.
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
    /// Calls a closure with the value, at once and after each change, until the service stops.
    ///
    /// - Parameter body: returns whether the edition is done; otherwise the closure is called with it again.
    package nonisolated func follow(_ body: (_ edition: Int, _ value: Value) async -> Bool) async {
        var known = 0
        while !_Concurrency.Task.isShuttingDownGracefully, !_Concurrency.Task.isCancelled {
            if let present = await value(otherThan: known), await body(present.edition, present.value) {
                known = present.edition
            }
            await cancelWhenGracefulShutdown { try? await _Concurrency.Task.sleep(for: .seconds(1)) }
        }
    }
}

import Foundation

/// What is made of the files in some of the study's folders: once, and again when a file changes.
actor PublishedFiles<Value: Sendable> {
    private let folders: [URL]
    private let make: @Sendable () -> Value
    private var present: (marks: [String], value: Value)?

    init(_ folders: [URL], _ make: @escaping @Sendable () -> Value) {
        self.folders = folders
        self.make = make
    }

    /// Returns what the files make now.
    func value() -> Value {
        let marks = folders.flatMap(Self.marks)
        if let present, present.marks == marks { return present.value }
        let value = make()
        present = (marks, value)
        return value
    }

    /// Name, size and time of each file: what differs when a file was changed.
    private static func marks(of url: URL) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path).sorted()) ?? []
        return names.map { name in
            let attributes = try? FileManager.default.attributesOfItem(
                atPath: url.appendingPathComponent(name).path)
            let size = (attributes?[.size] as? NSNumber)?.int64Value ?? -1
            let time = (attributes?[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
            return "\(url.lastPathComponent)/\(name) \(size) \(time)"
        }
    }
}

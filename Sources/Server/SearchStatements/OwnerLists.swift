import Storage
import Synchronization

/// Cache of the sorted lists of large sets: the searches of a caller have the same patients.
final class OwnerLists: Sendable {
    static let shared = OwnerLists()

    /// Maximum number of bytes of all lists.
    private static let maximumBytes = 16 << 20

    private struct Lists {
        var texts: [Set<String>: String] = [:]
        var bytes = 0
    }

    private let lists = Mutex(Lists())

    /// Returns the list of a set (``Storage/TextList/sorted(_:)``); nil if it has no such form.
    @inline(never)
    func sorted(_ values: Set<String>) -> String? {
        if let known = lists.withLock({ $0.texts[values] }) { return known }
        guard let text = TextList.sorted(values) else { return nil }
        let bytes = text.utf8.count
        lists.withLock { lists in
            // All of them are removed at the limit, because they are soon made again.
            if lists.bytes + bytes > Self.maximumBytes { lists = Lists() }
            if lists.texts.updateValue(text, forKey: values) == nil { lists.bytes += bytes }
        }
        return text
    }
}

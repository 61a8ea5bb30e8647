import Foundation
import Storage

/// Sizes of the contents of a type's resources: the original bytes and the stored bytes.
package struct ContentSize: Sendable, Hashable {
    package let type: String
    /// The number of resources.
    package private(set) var resources: Int64 = 0
    /// The number of versions of all resources.
    package private(set) var versions: Int64 = 0
    /// The bytes before compression, including the original bytes of converted resources.
    package private(set) var contentBytes: Int64 = 0
    /// The bytes of the columns that hold the contents.
    package private(set) var storedBytes: Int64 = 0

    private init(type: String) { self.type = type }

    /// Counts all versions by type. Reads every row, but only the first bytes of each content, which contain its
    /// length.
    ///
    /// - Throws: ``StorageError``; `storage-corrupt` where the head of a content is damaged.
    package static func all(in transaction: any SQLTransaction) throws -> [ContentSize] {
        var sizes: [String: ContentSize] = [:]
        try transaction.each(
            """
            SELECT r.type, CASE WHEN v.version = r.version THEN 1 ELSE 0 END AS present,
                length(v.content) AS bytes, substr(v.content, 1, \(ContentCodec.headCount)) AS head,
                coalesce(length(v.original), 0) AS original_bytes,
                substr(v.original, 1, \(ContentCodec.headCount)) AS original_head
            FROM record r JOIN record_version v ON v.number = r.number
            """, []
        ) { row in
            let type = try row.text("type")
            var size = sizes[type] ?? ContentSize(type: type)
            size.resources += try row.integer("present")
            size.versions += 1
            for (bytes, head) in [("bytes", "head"), ("original_bytes", "original_head")] {
                let stored = try row.integer(bytes)
                let content = try ContentCodec.length(
                    ofHead: row.blobIfPresent(head) ?? Data(), storedCount: Int(stored))
                size.storedBytes += stored
                size.contentBytes += Int64(content)
            }
            sizes[type] = size
        }
        return sizes.values.sorted { $0.type < $1.type }
    }
}

import FHIR
import Foundation

/// A stored resource as one line of JSON. It equals ``StoredRecord/resource()``, but is made from the content's bytes.
///
/// The server's `id` and `meta` are written first and all other bytes are copied without whitespace between tokens, so
/// nearly all exported resources are never parsed. Content of another form is parsed.
package struct ResourceLine {
    package let type: String
    package let id: String
    package let version: Int64
    /// In the form of ``Storage/SQLTimestamp``, which is also the form of an `instant`.
    package let stored: String

    /// Creates the value from its parts.
    package init(type: String, id: String, version: Int64, stored: String) {
        self.type = type
        self.id = id
        self.version = version
        self.stored = stored
    }

    /// Appends the resource, without a newline.
    ///
    /// - Throws: ``FHIR/ResourceError`` where the content is not a resource; then nothing is appended.
    package func append(_ content: Data, to output: inout [UInt8]) throws(ResourceError) {
        let start = output.count
        let isWritten = content.withUnsafeBytes { buffer in
            splice(buffer.bindMemory(to: UInt8.self), to: &output)
        }
        if isWritten { return }
        output.removeLast(output.count - start)
        try resource(content).json.write(to: &output)
    }

    /// Returns the parsed resource.
    package func resource(_ content: Data) throws(ResourceError) -> Resource {
        let came = try Resource(content)
        var meta = came.meta ?? Meta()
        meta.versionId = String(version)
        meta.lastUpdated = DateTime(stored)
        let own = [
            JSONObject.Member(key: "resourceType", value: .string(type)),
            JSONObject.Member(key: "id", value: .string(id)), JSONObject.Member(key: "meta", value: meta.json),
        ]
        return Resource(JSONObject(keepingFirst: own + came.object.members))
    }

    /// - Returns: whether the content has the form of records' contents.
    private func splice(_ bytes: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) -> Bool {
        var members = JSONMembers(bytes)
        guard members.begin() else { return false }
        // The other members are written after the head, as the ranges of bytes between the head's members.
        var isOfType = false
        var meta: Range<Int>?
        var pieces: [Range<Int>] = []
        var followsOther = false
        while let member = members.next() {
            switch member.name {
            case .resourceType: isOfType = members.isText(member.value, type)
            case .id: break
            case .meta: meta = member.value
            case .other:
                let start = followsOther ? pieces.removeLast().lowerBound : member.whole.lowerBound
                pieces.append(start..<member.whole.upperBound)
            }
            followsOther = member.name == .other
        }
        guard members.isWhole, isOfType else { return false }
        output.append(contentsOf: "{\"resourceType\":\"".utf8)
        output.append(contentsOf: type.utf8)
        output.append(contentsOf: "\",\"id\":\"".utf8)
        output.append(contentsOf: id.utf8)
        output.append(contentsOf: "\",\"meta\":".utf8)
        guard append(meta: meta, of: bytes, to: &output) else { return false }
        for piece in pieces {
            output.append(UInt8(ascii: ","))
            JSONMembers.append(piece, of: bytes, hasSpace: members.hasSpace, to: &output)
        }
        output.append(UInt8(ascii: "}"))
        return true
    }

    /// Appends the content's `meta` with the server's version and time.
    private func append(meta: Range<Int>?, of bytes: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) -> Bool {
        output.append(UInt8(ascii: "{"))
        if let meta {
            var members = JSONMembers(UnsafeBufferPointer(rebasing: bytes[meta]))
            guard members.begin() else { return false }
            var isFirst = true
            while let member = members.next() {
                // The server sets these members; the content is then parsed.
                guard !member.isServers else { return false }
                if !isFirst { output.append(UInt8(ascii: ",")) }
                isFirst = false
                let whole = member.whole.lowerBound + meta.lowerBound..<member.whole.upperBound + meta.lowerBound
                JSONMembers.append(whole, of: bytes, hasSpace: true, to: &output)
            }
            guard members.isWhole else { return false }
            if !isFirst { output.append(UInt8(ascii: ",")) }
        }
        output.append(contentsOf: "\"versionId\":\"".utf8)
        output.append(contentsOf: String(version).utf8)
        output.append(contentsOf: "\",\"lastUpdated\":\"".utf8)
        output.append(contentsOf: stored.utf8)
        output.append(contentsOf: "\"}".utf8)
        return true
    }
}

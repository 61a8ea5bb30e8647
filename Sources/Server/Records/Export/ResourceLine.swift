import FHIR
import Foundation

/// A stored resource as one line of JSON: what ``StoredRecord/resource()`` says, made of the content's bytes.
///
/// The server's `id` and `meta` are put in front and everything else is copied as it stands, without the space between:
/// most of what is exported is never made into values. What does not look like the content of a record goes that way.
struct ResourceLine {
    let type: String
    let id: String
    let version: Int64
    /// As ``Storage/SQLTimestamp`` writes it, which is also how an `instant` is written.
    let stored: String

    /// Appends the resource, without the end of the line.
    ///
    /// - Throws: ``FHIR/ResourceError`` where the content is no resource; then nothing is appended.
    func append(_ content: Data, to output: inout [UInt8]) throws(ResourceError) {
        let start = output.count
        let isWritten = content.withUnsafeBytes { buffer in
            splice(buffer.bindMemory(to: UInt8.self), to: &output)
        }
        if isWritten { return }
        output.removeLast(output.count - start)
        try resource(content).json.write(to: &output)
    }

    /// The resource as a value.
    func resource(_ content: Data) throws(ResourceError) -> Resource {
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

    /// - Returns: whether the content is an object as records have them.
    private func splice(_ bytes: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) -> Bool {
        var members = JSONMembers(bytes)
        guard members.begin() else { return false }
        // What follows is written when it is known where the head ends: in one piece, as the head's members part it.
        var isOfType = false
        var meta: Range<Int>?
        var pieces: [Range<Int>] = []
        var isBehindOther = false
        while let member = members.next() {
            switch member.name {
            case .resourceType: isOfType = members.isText(member.value, type)
            case .id: break
            case .meta: meta = member.value
            case .other:
                let start = isBehindOther ? pieces.removeLast().lowerBound : member.whole.lowerBound
                pieces.append(start..<member.whole.upperBound)
            }
            isBehindOther = member.name == .other
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

    /// Appends the content's `meta` with the server's version and time in it.
    private func append(meta: Range<Int>?, of bytes: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) -> Bool {
        output.append(UInt8(ascii: "{"))
        if let meta {
            var members = JSONMembers(UnsafeBufferPointer(rebasing: bytes[meta]))
            guard members.begin() else { return false }
            var isFirst = true
            while let member = members.next() {
                // Those have a place of their own.
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

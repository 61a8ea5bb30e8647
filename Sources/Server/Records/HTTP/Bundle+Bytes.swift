import FHIR

extension FHIR.Bundle {
    /// The Bundle, which has no entries of its own, as JSON around entries that are written one by one.
    ///
    /// - Parameters:
    ///   - entries: at least one.
    ///   - bytes: about so many they are.
    ///   - write: appends an entry.
    func bytes<Entry>(
        around entries: [Entry], reserving bytes: Int, _ write: (Entry, inout [UInt8]) throws -> Void
    ) rethrows -> [UInt8] {
        var output = json.bytes()
        output.reserveCapacity(output.count + bytes)
        // The entries stand at the end of the object.
        output.removeLast()
        output.append(contentsOf: ",\"entry\":[".utf8)
        for (place, entry) in entries.enumerated() {
            if place > 0 { output.append(UInt8(ascii: ",")) }
            try write(entry, &output)
        }
        output.append(contentsOf: "]}".utf8)
        return output
    }
}

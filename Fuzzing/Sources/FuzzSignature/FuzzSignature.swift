import EventHubs
import Foundation
import FuzzDriver

private let hub = URL(string: "https://hub.example:8443/base/h")

/// A header and a connection string are read or refused. A value that is read is equal after writing and reading it
/// again, and only a header that was signed with the key counts as signed with it.
func fuzzSignature(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    if let read = try? SharedAccessSignature(reading: text) {
        if let hub { _ = read.reaches(hub) }
        _ = read.isCurrent(at: Date(timeIntervalSince1970: 1_800_000_000))
        precondition(!read.isSigned(with: "a key that nobody has"))
        // The written form escapes more characters, and may be too long to be read.
        if read.header.utf8.count <= SharedAccessSignature.maximumBytes {
            precondition((try? SharedAccessSignature(reading: read.header)) == read)
        }
    }
    if let read = try? EventHubConnection(reading: text) {
        if read.text.utf8.count <= EventHubConnection.maximumBytes {
            precondition((try? EventHubConnection(reading: read.text)) == read)
        }
    }
    return 0
}

@main enum FuzzSignature {
    static func main() { fuzz(fuzzSignature) }
}

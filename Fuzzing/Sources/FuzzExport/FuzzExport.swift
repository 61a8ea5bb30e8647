import AppleHealthExport
import FHIR
import FuzzDriver
import HealthData

/// Reads the bytes after the root element of an export. Each converted observation can be read again, the fast writer
/// and the JSON writer give the same text, and the account adds up. The sizes of the pieces do not change the result.
func fuzzExport(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = Array("<HealthData>".utf8) + UnsafeBufferPointer(start: start, count: count)
    var texts: [[UInt8]] = []
    for piece in [bytes.count, 1 + bytes.count % 37] {
        var text: [UInt8] = []
        var selection = HealthSelection(subject: "p")
        selection.inclusions = [.heartbeats]
        let sink = HealthSink(
            special: { record in
                let json = record.resource
                precondition((try? JSON(json.bytes())) == json, "a record that cannot be read again")
                text.append(contentsOf: json.bytes())
            },
            observation: { made in
                let from = text.count
                made.write(to: &text)
                precondition(text[from...].elementsEqual(made.observation.json.bytes()), "written in two ways")
                precondition((try? JSON(Array(text[from...]))) != nil, "an observation that cannot be read again")
            })
        guard var account = try? HealthExport.convert(pieces: bytes.pieces(of: piece), selection, into: sink) else {
            return 0
        }
        precondition(account.read == account.elements.values.reduce(0, +), "the account does not add up")
        // After the end of the root, the number of filtered bytes depends on the size of the last piece.
        account.filtered = [:]
        text.append(contentsOf: account.json.bytes())
        texts.append(text)
    }
    precondition(texts[0] == texts[1], "the pieces matter")
    return 0
}

extension [UInt8] {
    fileprivate func pieces(of size: Int) -> [ArraySlice<UInt8>] {
        stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
    }
}

@main enum FuzzExport {
    static func main() { fuzz(fuzzExport) }
}

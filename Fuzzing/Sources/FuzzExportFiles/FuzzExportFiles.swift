import AppleHealthExport
import FHIR
import FuzzDriver
import HealthData

/// Reads a file of an export; the first byte selects the reader and the size of the pieces. The result is the same
/// whether the file comes whole or in pieces, and is a resource that can be read again.
func fuzzExportFiles(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    guard count > 1, let start else { return 0 }
    let size = Int(start[0] / 3) + 1
    let bytes = UnsafeRawBufferPointer(start: start + 1, count: count - 1)
    func pieces(_ feed: (UnsafeRawBufferPointer) -> Void) {
        for offset in stride(from: 0, to: bytes.count, by: size) {
            feed(UnsafeRawBufferPointer(rebasing: bytes[offset..<min(offset + size, bytes.count)]))
        }
    }
    switch start[0] % 3 {
    case 0:
        var (cut, whole) = (ElectrocardiogramReader(), ElectrocardiogramReader())
        pieces { cut.feed($0) }
        whole.feed(bytes)
        switch (cut.finish(), whole.finish()) {
        case (.success(let left), .success(let right)):
            precondition(left.electrocardiogram == right.electrocardiogram && left.notes == right.notes)
            check(left.electrocardiogram.observation(subject: "p").json)
        case (.failure(let left), .failure(let right)): precondition(left == right)
        default: preconditionFailure("the pieces matter")
        }
    case 1:
        var (cut, whole) = (RouteReader(), RouteReader())
        pieces { cut.feed($0) }
        whole.feed(bytes)
        switch (cut.finish(), whole.finish()) {
        case (.success(let left), .success(let right)):
            precondition(left.track == right.track && left.notes == right.notes)
            if let route = WorkoutRoute(track: left.track, detail: .locations) {
                check(route.observation(subject: "p").json)
            }
        case (.failure(let left), .failure(let right)): precondition(left == right)
        default: preconditionFailure("the pieces matter")
        }
    default:
        var reader = ClinicalRecordReader()
        pieces { reader.feed($0) }
        if case .success(let file) = reader.finish() {
            check(file.record.resource(subject: "p", device: nil, extensions: []))
        }
    }
    return 0
}

private func check(_ json: JSON) { precondition((try? JSON(json.bytes())) == json, "cannot be read again") }

@main enum FuzzExportFiles {
    static func main() { fuzz(fuzzExportFiles) }
}

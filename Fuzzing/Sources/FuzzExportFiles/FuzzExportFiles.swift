import AppleHealthExport
import FHIR
import HealthData

/// A file of an export: the first byte chooses the reader and the size of the pieces. Whole or in pieces it gives the
/// same; what it gives is a resource that can be read again.
func fuzzExportFiles(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    guard count > 1, let start else { return 0 }
    let size = Int(start[0] / 3) + 1
    let bytes = UnsafeRawBufferPointer(start: start + 1, count: count - 1)
    func pieces(_ feed: (UnsafeRawBufferPointer) -> Void) {
        for place in stride(from: 0, to: bytes.count, by: size) {
            feed(UnsafeRawBufferPointer(rebasing: bytes[place..<min(place + size, bytes.count)]))
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
            if let route = WorkoutRoute(track: left.track, detail: .places) {
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

/// The entry that SwiftPM links as the program: it hands over to libFuzzer.
@_cdecl("FuzzExportFiles_main")
public func fuzzExportFilesMain(
    _ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
    var count = count
    var arguments = arguments
    return runFuzzer(&count, &arguments, fuzzExportFiles)
}

@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

import DeviceGateway
import FHIR
import FuzzDriver

/// Templates and an event, three JSON texts separated by line feeds: they are read or refused, and the result of the
/// event can be written.
func fuzzTemplates(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let parts = UnsafeBufferPointer(start: start, count: count).split(separator: 0x0A, maxSplits: 2)
    guard parts.count == 3, let device = JSON(reading: parts[0]), let fhir = JSON(reading: parts[1]),
        let event = JSON(reading: parts[2]), let templates = try? DeviceTemplates(device)
    else { return 0 }
    let trial = TemplateTrial(
        events: event.array ?? [event], device: templates, fhir: try? FHIRTemplates(fhir))
    _ = trial.json.text()
    return 0
}

@main enum FuzzTemplates {
    static func main() { fuzz(fuzzTemplates) }
}

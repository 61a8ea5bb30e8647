import FHIR
import Foundation

/// Makes an Observation of one heart rate, measured now.
func heartRate(participant: String) -> Observation {
    let heartRate = CodeableConcept(
        coding: [Coding(system: "http://loinc.org", code: "8867-4")], text: "Heart rate")
    var reading = Observation(id: UUID().uuidString.lowercased(), status: .final, code: heartRate)
    reading.subject = Reference("Patient/\(participant)")
    reading.effective = .dateTime(.now())
    reading.value = .quantity(Quantity(value: 72, unit: "beats/min", ucum: "/min"))
    return reading
}

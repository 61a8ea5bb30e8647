import FHIR
import FHIRClient
import Foundation

/// Prints the titles of a patient's care plans, and sets the patient active.
func useServer(_ url: URL, participant: String, token: @escaping FHIRConnection.Token) async throws {
    let server = FHIRConnection(url) { isRenewal in try await token(isRenewal) }
    for try await plan in server.search(CarePlan.self, ["patient": participant, "status": "active"]) {
        print(plan.title ?? "")
    }
    var patient = try await server.read(Patient.self, id: participant)
    patient.active = true
    try await server.update(patient, ifMatch: patient.meta?.versionId)
}

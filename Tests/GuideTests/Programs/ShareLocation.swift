import InformedConsent
import LocationAdapter

/// Adds the state and the ZIP area of the phone to the answers of a consent.
@MainActor func addLocation(to answers: inout ConsentAnswers) async throws {
    let reader = LocationReader()
    let location = try await reader.current()
    answers.person = location.replacing(in: answers.person)
}

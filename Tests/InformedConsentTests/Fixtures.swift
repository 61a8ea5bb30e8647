import FHIR
import Foundation

@testable import InformedConsent

enum Fixtures {
    static let ids = ["00000000-0000-4000-8000-00000000000A", "00000000-0000-4000-8000-00000000000B"]

    /// Returns a generator that gives the ids in turn; each test has its own sequence.
    static func makeID(_ counter: Counter = Counter()) -> @Sendable () -> UUID {
        { UUID(uuidString: ids[counter.next() % ids.count]) ?? UUID() }
    }

    static func resource(_ text: String) throws -> Resource { try Resource(Array(text.utf8)) }

    /// 2026-03-01T12:00:00Z.
    static let noon = Date(timeIntervalSince1970: 1_772_366_400)

    static func term(_ code: String, system: String? = ConsentVocabulary.sectionType, text: String = "Words") -> String
    {
        let system = system.map { "\"system\":\"\($0)\"," } ?? ""
        return #"{"type":{"coding":[{\#(system)"code":"\#(code)"}]},"text":"\#(text)"}"#
    }

    /// A section whose full text is in the file `long`.
    static let termOfFile =
        #"{"type":{"coding":[{"code":"Overview"}]},"text":"Short","extension":[{"url":"\#(ConsentVocabulary.section)","#
        + #""extension":[{"url":"htmlContentFile","valueString":"long"}]}]}"#

    /// Returns a template of R4.
    static func template(
        terms: [String] = [term("Overview")], extra: String = "", characteristics: String? = nil
    ) throws -> ConsentTemplate {
        let group =
            characteristics ?? """
                {"code":{"text":"Are you 18 or older?"},"valueBoolean":true,"exclude":false},
                {"code":{"text":"Do you work at night?"},"valueBoolean":true,"exclude":true}
                """
        return try ConsentTemplate(
            resource(
                """
                {"resourceType":"Contract","id":"t","url":"https://study.example/Contract/c","version":"2",
                 "status":"executable","title":"A study","subject":[{"reference":"#e"}],
                 "authority":[{"reference":"#o"}],
                 "contained":[{"resourceType":"Organization","id":"o","name":"Research team"},
                  {"resourceType":"Group","id":"e","type":"person","actual":false,"characteristic":[\(group)]}],
                 \(extra)"term":[\(terms.joined(separator: ","))]}
                """))
    }

    static let eligible = ["Are you 18 or older?": true, "Do you work at night?": false]

    static func signed(
        _ template: ConsentTemplate, name: String = "Quirina Zschokke", sharing: Bool? = true,
        at moment: Date = noon, participant: String? = nil, image: Data? = nil
    ) throws -> SignedConsent {
        let answers = ConsentAnswers(
            eligibility: eligible, sharing: sharing,
            person: PersonFacts(
                birthDate: DateTime("1990-02-02"), gender: "female", postalCode: "02139", state: "MA", country: "US"))
        return try ConsentSession(template: template, answers: answers).sign(
            ConsentSession.Signing(
                name: name, image: image, now: moment, offsetMinutes: -300, participant: participant, makeID: makeID()))
    }
}

/// Counts calls of a sendable closure.
final class Counter: Sendable {
    private let lock = NSLock()
    nonisolated(unsafe) private var value = 0

    func next() -> Int {
        lock.lock()
        defer { lock.unlock() }
        defer { value += 1 }
        return value
    }
}

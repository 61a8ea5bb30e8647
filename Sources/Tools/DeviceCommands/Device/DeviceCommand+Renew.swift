import ArgumentParser
import FHIR
import Foundation

extension DeviceCommand {
    struct Renew: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "renew",
            abstract: "Fetch the study's keys, and check whether its consent has changed since it was signed here.",
            discussion: """
                `device send` fetches the keys itself when the study announces new ones, and once a day if the root key
                is known (`device enrol --root`). `renewal` is required (sign again with `device consent`; until then
                the study holds submissions), told (inform the person of a minor change) or none.

                Example:
                  tributary device renew --store phone
                """)
        @OptionGroup var device: Store

        func run() async throws {
            let session = try await DeviceSession(path: device.store).renewed()
            let keys = try session.enrolment.publicKeys().map(\.keyID)
            let consent = try await consent(of: session)
            if device.json {
                CommandOutput.result([
                    "keys": .array(keys.map { .string($0) }),
                    "expires": session.enrolment.signedKeys.map { .string(DateTime($0.expiresAt).text) } ?? .null,
                    "consent": [
                        "signed": consent.signed.map { .string($0) } ?? .null,
                        "current": consent.current.map { .string($0) } ?? .null,
                        "renewal": .string(consent.renewal),
                    ],
                ])
            } else {
                CommandOutput.result("renewed; keys: \(keys.joined(separator: ", "))")
                CommandOutput.result(
                    "consent signed: \(consent.signed ?? "none that has a name"); renewal: \(consent.renewal)")
            }
        }

        /// Returns the signed and the current version, and the consequence for the person.
        private func consent(
            of session: DeviceSession
        ) async throws -> (signed: String?, current: String?, renewal: String) {
            let consents = try await session.publishedConsents()
            // A person who has not signed has nothing to renew.
            let signed = (try? session.profile())?.template
            let renewal =
                switch signed.flatMap({ consents.change(since: CanonicalURL($0)) }) {
                case .major: "required"
                case .minor: "told"
                case .editorial, nil: "none"
                }
            return (signed, consents.current()?.canonical, renewal)
        }
    }
}

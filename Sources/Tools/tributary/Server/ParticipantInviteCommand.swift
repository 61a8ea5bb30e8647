import ArgumentParser
import FHIR
import Foundation
import InformedConsent
import Storage
import Trust

extension ParticipantCommand {
    struct Invite: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "invite", abstract: "Make one-time codes with which participants begin.",
            discussion: """
                Needed where study.json says "invitation": "required". Each code is shown this once; hand it over in person or
                by letter. The app puts it into the sealed consent.

                Example:
                  tributary participant invite study --count 20 --days 30
                  tributary device consent --store phone --contract contract.json --answers a.json --name N --code CODE
                """)
        @OptionGroup var location: RecordsLocation
        @Option(help: "How many codes.") var count = 1
        @Option(help: "Days until they end.") var days = 30
        @Flag(help: "Print one JSON value; it is the same without.") var json = false

        func run() async throws {
            guard (1...10_000).contains(count) else { throw ValidationError("--count must be from 1 to 10000.") }
            guard (1...366).contains(days) else { throw ValidationError("--days must be from 1 to 366.") }
            let (secrets, expiresAt) = try await location.withRecords { records in
                try await AccessControl(database: records, clock: { Date() })
                    .issueInvitations(count: count, by: .account, lifetime: Double(days) * 86_400)
            }
            let expires = JSON.string(DateTime(expiresAt).text)
            CommandOutput.result(.array(secrets.map { ["code": .string($0), "expires": expires] }))
        }
    }
}

import ArgumentParser
import Consumer
import DeviceCommands
import FHIR
import Foundation
import StudyFiles
import StudyKeys
import StudyOperations
import TributaryServer

struct LinkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link",
        abstract: "Link participants with the site's records of identified people.",
        discussion: """
            Example:
              tributary link create study --record 4711 --qr link.png
              tributary link list study
            """,
        subcommands: [Create.self, List.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create", abstract: "Make a link for one person: a signed token for one use within a day.",
            discussion: """
                Give it to the person of the record, on a screen or on paper; their app sends it sealed (`device link`).
                The token names neither the person nor the record. It is shown only once.

                Example:
                  tributary link create study --record 4711 --qr link.png
                """)
        @OptionGroup var location: RecordsLocation
        @Option(parsing: .unconditional, help: "The site's name for the person's record; it is stored only in links/.")
        var record: String
        @Option(help: "A PNG file for the token as a QR code.") var qr: String?
        @Flag(help: "Print one JSON value (it always does).") var json = false

        func run() async throws {
            let picture = qr.map { URL(fileURLWithPath: $0) }
            if let picture, FileManager.default.fileExists(atPath: picture.path) {
                throw CommandError("file-exists", "There is a file \(picture.path) already; nothing was made.")
            }
            let stores = try StudyStores(StudyFolder(path: location.dir), database: location.database)
            let link = try await StudyLinks(stores, actor: .account).create(record: record)
            if let picture { try PrivateFile.write(try QRCode.png(of: link.token), to: picture, permissions: 0o600) }
            CommandOutput.result(["jti": .string(link.id), "jwt": .string(link.token)])
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the links of participants to records. For registrars.",
            discussion: """
                Each call adds an audit row. `state` is open, linked, or expired if the link was not used.

                Example:
                  tributary link list study --json
                """)
        @OptionGroup var location: RecordsLocation
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let now = Date()
            let stores = try StudyStores(StudyFolder(path: location.dir), database: location.database)
            let links = try await StudyLinks(stores, actor: .account, clock: { now }).all()
            func state(_ link: LinkStore.Link) -> String {
                link.participant != nil ? "linked" : link.expiresAt > now ? "open" : "expired"
            }
            if json {
                CommandOutput.result(
                    .array(
                        links.map { link in
                            [
                                "record": .string(link.record),
                                "participant": link.participant.map { .string($0) } ?? .null,
                                "linkedAt": ParticipantCommand.instant(link.linkedAt), "jti": .string(link.id),
                                "state": .string(state(link)),
                                "createdAt": ParticipantCommand.instant(link.createdAt),
                                "expiresAt": ParticipantCommand.instant(link.expiresAt),
                            ]
                        }))
            } else {
                CommandOutput.table(
                    ["record", "participant", "linked at", "jti", "state"],
                    links.map { link in
                        [
                            link.record, link.participant ?? "-",
                            link.linkedAt.map { DateTime($0, milliseconds: false).text } ?? "-", link.id, state(link),
                        ]
                    })
            }
        }
    }
}

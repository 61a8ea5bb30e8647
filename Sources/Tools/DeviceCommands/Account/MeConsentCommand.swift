import AccountClient
import ArgumentParser
import DeviceSystem
import FHIR
import Foundation
import ResearchResults

extension MeCommand {
    struct ConsentCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "consent", abstract: "Upload, fetch and withdraw signed consents.",
            discussion: """
                Example:
                  tributary me consent upload --store ann --result consent.json --signature signature.png
                """,
            subcommands: [Upload.self, Fetch.self, WithdrawConsent.self])

        struct Upload: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                commandName: "upload", abstract: "Upload a signed consent.",
                discussion: """
                    The result and the image are checked first, with the rules of the server; then nothing is sent.

                    Example:
                      tributary me consent upload --store ann --result consent.json --signature signature.png \
                        --document consent.pdf --descriptor sleep
                    """)
            @OptionGroup var account: AccountOptions
            @Option(help: "The task result with the signature (JSON).") var result: String
            @Option(help: "The image of the signature, JPEG or PNG.") var signature: String
            @Option(help: "The document (PDF).") var document: String?
            @Option(help: "The name of the study.") var descriptor: String?

            func run() async throws {
                let consent = try await account.client().uploadConsent(
                    result: CommandInput.json(result), signature: CommandInput.file(signature),
                    document: document.map { try CommandInput.file($0) }, descriptor: descriptor)
                account.show(["consent": consent.json], lines: ["uploaded consent \(consent.id)"])
            }
        }

        struct Fetch: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                commandName: "fetch", abstract: "Show the current consent, and write its files to a folder.",
                discussion: """
                    The files are result.json, signature.jpg or signature.png, and document.pdf.

                    Example:
                      tributary me consent fetch --store ann --descriptor sleep -o consent
                    """)
            @OptionGroup var account: AccountOptions
            @Option(name: [.customShort("o"), .long], help: "The folder for the files.") var output: String?
            @Option(help: "The name of the study.") var descriptor: String?

            func run() async throws {
                let client = try account.client()
                guard let consent = try await client.consent(descriptor: descriptor) else {
                    account.show(["consent": .null], lines: ["No consent is on file."])
                    return
                }
                if let output { try await write(consent, of: client, to: output) }
                let state = consent.document == nil ? "without document" : "with document"
                account.show(
                    ["consent": consent.json], lines: ["consent \(consent.id) of \(consent.at.text), \(state)"])
            }

            private func write(_ consent: ArchivedConsent, of client: AccountClient, to path: String) async throws {
                let folder = URL(fileURLWithPath: path, isDirectory: true)
                try PosixFiles().makeFolder(folder)
                func write(_ bytes: Data, as name: String) throws {
                    try OutputFile.write(bytes, to: folder.appendingPathComponent(name).path, replaces: true)
                }
                try write(try await client.result(of: consent).data(), as: "result.json")
                let signature = try await client.signature(of: consent)
                try write(signature.bytes, as: signature.mediaType == "image/png" ? "signature.png" : "signature.jpg")
                if let document = try await client.document(of: consent) { try write(document, as: "document.pdf") }
            }
        }

        struct WithdrawConsent: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                commandName: "withdraw", abstract: "Withdraw the current consent.",
                discussion: "Example:\n  tributary me consent withdraw --store ann --descriptor sleep")
            @OptionGroup var account: AccountOptions
            @Option(help: "The name of the study.") var descriptor: String?

            func run() async throws {
                try await account.client().withdrawConsent(descriptor: descriptor)
                account.show(["consent": .null], lines: ["The consent is withdrawn."])
            }
        }
    }
}

import ArgumentParser
import DeviceCommands
import FHIR
import Foundation
import Receiver
import StudyFiles

struct AppReceiptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app-receipt", abstract: "App Store receipts for development.",
        discussion: "Example:\n  tributary app-receipt make study > receipt.b64", subcommands: [Make.self])

    struct Make: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "make", abstract: "Print a development receipt as base64; each one is for another device.",
            discussion:
                "Works only in a study made with `init --development`.\n\nExample:\n  tributary app-receipt make study > receipt.b64"
        )
        @Argument(help: "The study's folder.") var dir: String
        @Option(help: "A bundle identifier other than the study's, to see it refused.") var bundleIdentifier: String?
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let receipt = try AppReceiptCommand.makeReceipt(
                for: StudyFolder(path: dir), bundleIdentifier: bundleIdentifier)
            let text = receipt.base64EncodedString()
            CommandOutput.note("A development receipt. It is only valid in this study.")
            if json { CommandOutput.result(["receipt": .string(text)]) } else { CommandOutput.result(text) }
        }
    }

    /// Returns a receipt signed by the study's development root.
    static func makeReceipt(for folder: StudyFolder, bundleIdentifier: String? = nil) throws -> Data {
        let study = try folder.configuration()
        guard study.development,
            let key = try folder.keys.privateText(folder.developmentRootKeyURL.lastPathComponent),
            let certificate = FileManager.default.contents(atPath: folder.developmentRootURL.path)
        else {
            throw CommandError(
                "not-a-development-study", "Receipts can only be made in a study made with `init --development`.")
        }
        let root = DevelopmentReceiptRoot(
            certificatePEM: String(decoding: certificate, as: UTF8.self),
            privateKeyPEM: key)
        guard let bundleIdentifier = bundleIdentifier ?? study.bundleIdentifier else {
            throw CommandError(
                "study-without-app", "study.json has no bundleIdentifier: devices enrol with an invitation code.")
        }
        return try AppReceipt.makeDevelopment(bundleIdentifier: bundleIdentifier, root: root)
    }
}

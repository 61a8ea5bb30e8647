import ArgumentParser
import Consumer
import DeviceCommands
import FHIR
import Foundation
import StudyFiles
import StudyKeys
import TributaryServer
import Wire

extension KeysCommand {
    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke", abstract: "Revoke a key permanently.",
            discussion: """
                Devices are informed with their next message, and seal to another key from then on. The revoked key
                stays in keys/ and opens messages that were sealed to it before. If it was the current one, a new one is
                made. A name that begins with a hyphen must follow `--`.

                Example:
                  tributary keys revoke study 3kq7cV0Qk8Pm
                """)
        @Argument(help: "The study's folder.") var dir: String
        @Argument(help: "The key's name (kid), or its beginning, at least 8 characters.") var kid: String
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let folder = StudyFolder(path: dir)
            let study = try folder.configuration()
            let revoked = try folder.keys.revoke(kid, now: Date())
            CommandOutput.note("Revoked: \(revoked)")
            try KeysCommand.sign(folder, study: study.id)
            try KeysCommand.show(folder, json: json)
        }
    }

    struct Recipients: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "recipients",
            abstract: "Further recipients of each submission, such as a coordinating centre.",
            discussion: """
                Devices seal submissions to the study and to each of these keys; each recipient opens them
                independently. C3-PRO's apps seal only to the study: their envelope has one key.

                Examples:
                  tributary keys recipients study --add centre.pem
                  tributary keys recipients study
                """)
        @Argument(help: "The study's folder.") var dir: String
        @Option(help: "A file with the public key to add: JWK, JWK set, PEM, DER or certificate.") var add: String?
        @Option(parsing: .unconditional, help: "The name (kid) of the key to remove.") var remove: String?
        @Flag(help: "Print one JSON value.") var json = false

        func validate() throws {
            guard add == nil || remove == nil else { throw ValidationError("Give --add or --remove, not both.") }
        }

        func run() async throws {
            let folder = StudyFolder(path: dir)
            let study = try folder.configuration()
            if let add { try folder.keys.addRecipients(PublicKey.read(from: CommandInput.file(add))) }
            if let remove { try folder.keys.removeRecipient(remove) }
            if add != nil || remove != nil { try KeysCommand.sign(folder, study: study.id) }
            let recipients = try folder.keys.recipients()
            if json {
                CommandOutput.result([
                    "recipients": .array(
                        recipients.map { ["kid": .string($0.keyID), "kind": .string($0.kind.rawValue)] })
                ])
            } else {
                CommandOutput.table(["kind", "kid"], recipients.map { [$0.kind.rawValue, $0.keyID] })
            }
        }
    }

    struct Protect: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "protect", abstract: "Encrypt the private keys with a passphrase.",
            discussion: """
                Every private key in keys/ is written again, encrypted with the passphrase. From then on, each process
                that reads the keys needs it: TRIBUTARY_KEY_PASSPHRASE_FILE names its file, or systemd passes it as the
                credential tributary-key-passphrase. To change it, name the present one by that variable.

                Example:
                  tributary keys protect study --passphrase-file passphrase
                  TRIBUTARY_KEY_PASSPHRASE_FILE=passphrase tributary serve study
                """)
        @Argument(help: "The study's folder.") var dir: String
        @Option(help: "A file of mode 0600 with the passphrase: one line, at least 12 bytes.") var passphraseFile:
            String
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let folder = StudyFolder(path: dir)
            _ = try folder.configuration()
            let count = try folder.keys.protect(
                by: KeyPassphrase(file: URL(fileURLWithPath: passphraseFile)))
            if json {
                CommandOutput.result(["protected": .number(JSONNumber(count))])
            } else {
                CommandOutput.result("\(count) private keys are encrypted with the passphrase")
            }
        }
    }

    /// Signs the published set again, or prints that the root key is needed for it.
    static func sign(_ folder: StudyFolder, study: String) throws {
        if try folder.keys.publish(study: study, now: Date()) == nil {
            CommandOutput.note("The root key is not in keys/: restore root.pem and run `tributary keys publish`.")
        }
    }
}

import ArgumentParser
import FHIR
import Foundation

extension DeviceCommand {
    package struct Address: AsyncParsableCommand {
        /// Creates the value with its defaults.
        package init() {}

        package static let configuration = CommandConfiguration(
            commandName: "address", abstract: "Change the address of the study's server, or show it.",
            discussion: """
                The device stays enrolled: queued data is sent to the new address. The study's keys are still verified
                by the signature of its root key. --ca replaces the certificate of the server's private authority.

                Example:
                  tributary device address --store phone https://study.hospital.example
                  tributary device address --store phone --ca hospital-ca.pem
                """)
        @OptionGroup package var device: Store
        @Argument(help: "The new address of the study's server; without it the address is shown.") package var url:
            String?
        @Option(help: "The certificate of the server's private authority (PEM).") var ca: String?

        package func run() async throws {
            let session = try DeviceSession(path: device.store)
            var enrolment = session.enrolment
            if url != nil || ca != nil {
                let authority = try ca.map { String(decoding: try CommandInput.file($0), as: UTF8.self) }
                _ = try DeviceSession.transport(authority)
                enrolment = try enrolment.changing(baseURL: url, certificateAuthority: authority)
                try session.store.save(enrolment)
            }
            if device.json {
                CommandOutput.result([
                    "address": .string(enrolment.baseURL), "before": .string(session.enrolment.baseURL),
                    "privateAuthority": .bool(enrolment.certificateAuthority != nil),
                ])
            } else {
                CommandOutput.result(enrolment.baseURL)
            }
        }
    }
}

import CareStores
import CareTestSupport
import Foundation
import Testing

@testable import CareSync

/// Phones with CareKit's store (the stand-in, by the adapter) and phones with our store against the log of the server.
///
/// `TRIBUTARY_CARE_SIMULATIONS=500` is the long form; `TRIBUTARY_CARE_SEED=17` runs one seed alone, and
/// `TRIBUTARY_CARE_TRACE=1` prints its steps.
@Suite("Simulations of phones and the server") struct SimulationTests {
    static let settings = [
        CareSimulation.Setting(phones: 2, ours: 0, lost: 0, restores: false),
        CareSimulation.Setting(phones: 2, ours: 1, lost: 0.3, restores: false),
        CareSimulation.Setting(phones: 3, ours: 0, lost: 0.3, restores: false),
        CareSimulation.Setting(phones: 3, ours: 1, lost: 0, restores: false),
        CareSimulation.Setting(phones: 5, ours: 2, lost: 0.3, restores: false),
    ]
    static let withCopies = [
        CareSimulation.Setting(phones: 2, ours: 1, lost: 0.3, restores: true),
        CareSimulation.Setting(phones: 3, ours: 1, lost: 0.3, restores: true),
        CareSimulation.Setting(phones: 5, ours: 3, lost: 0.3, restores: true),
    ]

    static let withBackups = withCopies.map { setting in
        CareSimulation.Setting(
            phones: setting.phones, ours: setting.ours, lost: setting.lost, restores: true, serverReturns: true)
    }

    private func faults(_ setting: CareSimulation.Setting, count: Int, share: Double = 1) async throws
        -> [String]
    {
        try await CareSimulation.run(
            setting, count: count, share: share,
            in: { body in
                try await CareFixture.with(on: .sqlite) { try await body(StoredLog(fixture: $0)) }
            }, ours: { try StorePhone(name: $0, server: $1, random: $2) })
    }

    @Test("all phones converge, and no phone is stuck", arguments: settings)
    func converge(_ setting: CareSimulation.Setting) async throws {
        let faults = try await faults(setting, count: 2)
        #expect(faults.isEmpty)
    }

    @Test("all phones converge after old copies of phones return", arguments: withCopies)
    func convergeWithCopies(_ setting: CareSimulation.Setting) async throws {
        let faults = try await faults(setting, count: 2)
        #expect(faults.isEmpty)
    }

    /// The long form has few of these: where old copies of a phone and of the server return in one simulation, 4 of 300
    /// simulations ended with a difference.
    @Test("phones converge after old copies of phones and of the server return", arguments: withBackups)
    func convergeWithBackups(_ setting: CareSimulation.Setting) async throws {
        let faults = try await faults(setting, count: 2, share: 0.01)
        #expect(faults.isEmpty)
    }

    @Test("all phones converge over HTTP")
    func convergeOverHTTP() async throws {
        let setting = CareSimulation.Setting(phones: 3, ours: 1, lost: 0.3, restores: false)
        let faults = try await CareSimulation.run(
            setting, count: 1, share: 0.1,
            in: { body in
                try await CareRouteFixture.with { fixture in
                    let patient = try await fixture.signUp("ann")
                    try await body(RoutedLog(fixture: fixture, patient: patient))
                }
            }, ours: { try StorePhone(name: $0, server: $1, random: $2) })
        #expect(faults.isEmpty)
    }
}

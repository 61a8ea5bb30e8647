import AccountClient
import Core
import DeviceSystem
import Foundation
import ResearchResults

/// The examples of docs/accounts.md as an app would contain them; `GuideTests` compares the two texts.
enum AccountsGuide {
    static func open(folder: URL, secrets: any SecretStore) throws -> AccountClient {
        let server = try AccountServer("https://study.example", antispam: "blue-kettle")
        let client = try AccountClient(server: server, folder: folder, secrets: secrets)
        return client
    }

    static func signUp(_ client: AccountClient, email: String, password: String) async throws {
        do {
            try await client.signUp(email: email, password: password)
        } catch let error as any CMHealthCoded {
            show(error.message, error.cmhealth.number)
        }
    }

    static func signUp(_ client: AccountClient, result: JSON) async throws {
        try await client.signUp(registration: result)
        let name = await client.state.profile?.givenName ?? "no name"
        show("Welcome, \(name)")
    }

    static func signIn(_ client: AccountClient, form: inout SignInForm) async throws {
        if case .signIn(let email, let password)? = form.handle(.submitted) {
            do {
                try await client.login(email: email, password: password)
                _ = form.handle(.signedIn)
            } catch {
                _ = form.handle(.failed(SignInForm.Problem(error)))
            }
        }
    }

    static func states(_ client: AccountClient) async throws {
        try await client.resume()
        for await state in await client.states() {
            show(state.holder?.email ?? "signed out")
        }
    }

    static func profile(_ client: AccountClient, jpeg: Data) async throws {
        try await client.updateProfile { profile in
            profile.givenName = "Ann"
            profile["favourite"] = "blue"
        }
        try await client.savePhoto(jpeg)
    }

    static func uploadConsent(_ client: AccountClient, result: JSON, image: Data, pdf: Data) async throws {
        try await client.uploadConsent(result: result, signature: image, descriptor: "MyClinicalStudy")
        try await client.addConsentDocument(pdf, descriptor: "MyClinicalStudy")
    }

    static func fetchConsent(_ client: AccountClient) async throws -> AccountImage? {
        guard let consent = try await client.consent(descriptor: "MyClinicalStudy") else {
            return nil  // None is on file.
        }
        let image = try await client.signature(of: consent)
        return image
    }

    static func save(_ client: AccountClient, bytes: Data) async throws {
        let result = try ResearchResult(bytes, descriptor: "MyClinicalStudy")
        switch try await client.save(result) {
        case .created: show("saved")
        case .updated: show("replaced the result of this run")
        }
    }

    static func fetch(_ client: AccountClient) async throws {
        let filter = try ResultFilter(
            descriptor: "MyClinicalStudy", conditions: ["results.results.scaleAnswer ge 7"])
        for row in try await client.results(matching: filter).all() {
            show(row.id, row.result?["endDate"]?.string ?? row.problem ?? "")
        }
    }

    static func patients(_ client: AccountClient) async throws {
        for patient in try await client.patients() {
            show(patient.name ?? patient.id, patient.email ?? "")
        }
        try await client.pullPatients { changes in
            for id in changes.entered + changes.changed {
                show(try await client.profile(ofPatient: id).givenName ?? "")
            }
            for id in changes.left { show("\(id) has left") }
        }
    }

    static func logout(_ client: AccountClient) async throws {
        try await client.logout()
    }

    private static func show(_ values: Any...) {}
}

import Core
import Foundation
import Storage
import StorageTestSupport
import Testing
import Wire

@testable import AccessPolicy
@testable import Audit
@testable import Identity
@testable import Permissions

@Suite struct OwnAccessTests {
    @Test func aPersonWhoIsNotSignedInSeesTheSignInPage() async throws {
        try await OwnAccessFixture.with { fixture in
            let page = try await fixture.go("/wallet")
            #expect(page.status == 200 && page.text.contains("name=\"password\""))
            #expect(!page.text.contains("data-access") && !page.text.contains("<script"))
            #expect(page.headers[.frameOptions] == "DENY")
            #expect(try await fixture.go("/wallet/download").status == 403)
            for path in ["/wallet/end", "/wallet/code"] {
                #expect(try await fixture.go(path, [("kind", "permission"), ("id", "p")]).status == 403)
            }
        }
    }

    @Test func aWrongPasswordShowsTheSignInPageAgain() async throws {
        try await OwnAccessFixture.with { fixture in
            let page = try await fixture.go("/wallet")
            let answer = try await fixture.go(
                "/wallet/sign-in", page.fields(of: "wallet/sign-in") + [("username", "eve"), ("password", "guess")])
            #expect(answer.status == 403 && answer.text.contains("action=\"sign-in\""))
            let foreign = try await fixture.go("/wallet/sign-in", [("username", "eve"), ("password", "guess")])
            #expect(foreign.status == 403 && foreign.text.contains("form-foreign"))
        }
    }

    @Test func thePageListsPermissionsInPlainWords() async throws {
        try await OwnAccessFixture.with { fixture in
            try await fixture.csi("steps", named: "Steps <b>")
            try await fixture.csi("clinic", named: "Clinic")
            try await fixture.permission(
                "p1", for: "steps", of: "anna", types: "Observation,Condition", access: "write", confidentiality: "R",
                sensitivities: "ETH PSY")
            try await fixture.permission("p2", for: "clinic", of: "anna", parent: "p1")
            try await fixture.permission("p3", for: "steps", of: "bert")
            try await fixture.permission("p4", for: "steps", of: "anna", days: -1)
            let page = try await fixture.signIn()
            #expect(page.text.contains("data-access=\"p1\"") && page.text.contains("data-access=\"p2\""))
            #expect(!page.text.contains("data-access=\"p3\"") && !page.text.contains("data-access=\"p4\""))
            #expect(page.text.contains("Steps &lt;b&gt;") && !page.text.contains("Steps <b>"))
            #expect(
                page.text.contains(
                    "See, add and change your measurements and findings and your diagnoses and health problems."))
            #expect(page.text.contains("Also records that are restricted."))
            #expect(page.text.contains("Also records about alcohol and drugs and psychiatry."))
            #expect(page.text.contains("Your permission for Steps &lt;b&gt; was passed on to it."))
            #expect(page.text.contains("until 21 October 2026"))
            #expect(page.text.contains("name=\"end\""))
        }
    }

    @Test func thePageShowsUsesAndTheirApps() async throws {
        try await OwnAccessFixture.with { fixture in
            try await fixture.csi("steps", named: "Steps")
            try await fixture.permission("p1", for: "steps", of: "anna")
            let audit = fixture.access.audit
            try await audit.record(
                .permitted, by: Actor(id: "steps", role: .service), action: .searchRecords,
                target: Target(resourceType: "Observation"), showing: ["anna", "bert"])
            try await audit.record(
                .permitted, by: Actor(id: "t1", role: .staff), action: .readRecord,
                target: Target(resourceType: "Condition", resourceID: "c", subject: "anna"), showing: [])
            try await audit.record(
                .permitted, by: Actor(id: "t1", role: .staff), action: .readRecord,
                target: Target(resourceType: "Condition", resourceID: "c", subject: "bert"), showing: [])
            // A token of the site has an id and no name.
            try await audit.record(
                .permitted, by: Actor(id: "t2", role: .service), action: .writeRecord,
                target: Target(resourceType: "Condition", resourceID: "c", subject: "anna"), showing: [])
            let page = try await fixture.signIn()
            #expect(page.text.contains("Searched measurements and findings: Steps."))
            #expect(page.text.contains("Read diagnoses and health problems: The study team."))
            #expect(page.text.contains("Wrote diagnoses and health problems: A program of the site."))
            #expect(page.text.matches(of: /data-look/).count == 3)
            #expect(page.text.contains("Last used on 21 September 2026"))
            // A visit is on record, and is no use.
            #expect(try await fixture.go("/wallet").text.matches(of: /data-look/).count == 3)
        }
    }

    @Test func moreUsesAreOnFurtherPages() async throws {
        try await OwnAccessFixture.with { fixture in
            let audit = fixture.access.audit
            for number in 0..<(OwnAccess.lookCount + 7) {
                try await audit.record(
                    .permitted, by: Actor(id: "t1", role: .staff), action: .readRecord,
                    target: Target(resourceType: "Condition", resourceID: "c\(number)", subject: "anna"), showing: [])
            }
            let page = try await fixture.signIn()
            let next = try #require(page.text.firstMatch(of: /wallet\?before=(\d+)/)?.output.1)
            let older = try await fixture.go("/wallet?before=\(next)")
            let numbers = Set((page.text + older.text).matches(of: /data-look="(\d+)"/).map(\.output.1))
            #expect(numbers.count == OwnAccess.lookCount + 7)
            #expect(older.text.contains("Newest uses") && !older.text.contains("before="))
            for query in ["before=x", "before=1&before=2", "other=1"] {
                #expect(try await fixture.go("/wallet?" + query).status == 400)
            }
        }
    }

    @Test func anApprovalEndsByTheForm() async throws {
        try await OwnAccessFixture.with { fixture in
            try await fixture.signIn()
            let client = try await fixture.access.clients.createClient(
                NewClient(
                    name: "Diary", proof: .none, redirectURIs: ["https://app.example/callback"],
                    scopes: try AccessScopes("patient/*.rs offline_access")), by: Actor(id: "account", role: .site)
            ).client
            let account = try #require(try await fixture.access.accounts.all().first)
            let end = fixture.now.addingTimeInterval(86_400)
            let (authorizations, now) = (fixture.access.authorizations, fixture.now)
            _ = try await fixture.access.audit.database.write { transaction in
                try authorizations.insert(
                    .init(
                        id: "a1", clientID: client.id, accountID: account.id,
                        scopes: try AccessScopes("patient/Observation.rs offline_access"), createdAt: now,
                        expiresAt: end), limit: 10, in: transaction)
            }
            let page = try await fixture.go("/wallet")
            #expect(page.text.contains("data-access=\"a1\"") && page.text.contains("Diary"))
            #expect(page.text.contains("See your measurements and findings."))
            let fields = page.fields(of: "wallet/end")
            // Another person, and a form of another site, end nothing.
            let foreign = fields.map { ($0.0, $0.0 == "proof" ? "x" : $0.1) }
            #expect(try await fixture.go("/wallet/end", foreign).status == 403)
            #expect(try await fixture.go("/wallet").text.contains("data-access=\"a1\""))
            #expect(try await fixture.go("/wallet/end", fields + [("end", "end")]).status == 303)
            #expect(!(try await fixture.go("/wallet").text.contains("data-access=\"a1\"")))
            // It is not an error to end it twice.
            #expect(try await fixture.go("/wallet/end", fields).status == 303)
        }
    }

    @Test func anotherPersonsApprovalIsNotEnded() async throws {
        try await OwnAccessFixture.with { fixture in
            try await fixture.signIn(as: "bert")
            fixture.changeBrowser()
            try await fixture.signIn(as: "anna")
            let accounts = try await fixture.access.accounts.all()
            let bert = try #require(accounts.first { $0.username == "bert" })
            let client = try await fixture.access.clients.createClient(
                NewClient(
                    name: "Diary", proof: .none, redirectURIs: ["https://app.example/callback"],
                    scopes: try AccessScopes("patient/*.rs")), by: Actor(id: "account", role: .site)
            ).client
            let (authorizations, now) = (fixture.access.authorizations, fixture.now)
            _ = try await fixture.access.audit.database.write { transaction in
                try authorizations.insert(
                    .init(
                        id: "b1", clientID: client.id, accountID: bert.id,
                        scopes: try AccessScopes("patient/Observation.rs"), createdAt: now,
                        expiresAt: now.addingTimeInterval(600)), limit: 10, in: transaction)
            }
            let proof = try await fixture.go("/wallet").fields(of: "wallet/code")
            let answer = try await fixture.go("/wallet/end", proof + [("kind", "approval"), ("id", "b1")])
            #expect(answer.status == 303)
            let left = try await fixture.access.audit.database.read { transaction in
                try authorizations.approvals(of: "bert", limit: 10, in: transaction)
            }
            #expect(left.map(\.id) == ["b1"])
        }
    }

    @Test func thePersonDownloadsTheList() async throws {
        try await OwnAccessFixture.with { fixture in
            try await fixture.csi("steps", named: "Steps")
            try await fixture.permission("p1", for: "steps", of: "anna")
            try await fixture.signIn()
            let file = try await fixture.go("/wallet/download")
            #expect(file.headers[.contentDisposition] == "attachment; filename=\"access.json\"")
            let json = try JSON(Array(file.text.utf8))
            #expect(json["patient"]?.string == "Patient/anna")
            #expect(json["access"]?[0]?["id"]?.string == "p1" && json["access"]?[0]?["name"]?.string == "Steps")
            #expect(json["accessIsComplete"] == true && json["usesAreComplete"] == true)
        }
    }

    @Test func thePageIsForParticipantsOnly() async throws {
        try await OwnAccessFixture.with { fixture in
            let page = try await fixture.signIn(as: "dora", .practitioner)
            #expect(page.status == 403 && page.text.contains("role-not-permitted"))
        }
    }

    @Test func signingOutEndsTheSession() async throws {
        try await OwnAccessFixture.with { fixture in
            let page = try await fixture.signIn()
            #expect(try await fixture.go("/wallet/sign-out", page.fields(of: "wallet/sign-out")).status == 303)
            #expect(try await fixture.go("/wallet").text.contains("name=\"password\""))
        }
    }

    @Test func eachStatementUsesAnIndex() async throws {
        try await OwnAccessFixture.with { fixture in
            let now = SQLValue(fixture.now)
            try await fixture.access.audit.database.read { transaction in
                let text = SQLValue("x")
                let statements: [(sql: String, parameters: [SQLValue])] = [
                    (OwnAccessReader.permissionsSQL, [text, now, 10]),
                    (AuthorizationStore.approvalsSQL, [text, now, 10]),
                    (AuthorizationStore.approvalSQL, [text, text, now]),
                    (AuditReader.ownUsesSQL, [text, 10, text, text, text, text]),
                    (AuditReader.shownUsesSQL, [text, 10, text, text, text, text]),
                ]
                for (sql, parameters) in statements {
                    let plan = try QueryPlan(sql, parameters, in: transaction)
                    // The derived table of a limited number of rows is scanned.
                    let reads = plan.lines.filter { $0.hasPrefix("SCAN") && !["SCAN a", "SCAN s"].contains($0) }
                    #expect(reads.isEmpty && !plan.lines.contains { $0.contains("Seq Scan") }, "\(sql)\(plan)")
                }
            }
        }
    }

    @Test func theCallsAreDescribedAsOpenAPI() async throws {
        try await OwnAccessFixture.with { fixture in
            let answer = try await fixture.go("/util/openapi.json")
            let json = try JSON(Array(answer.text.utf8))
            #expect(
                json["openapi"]?.string == "3.1.0" && json["servers"]?[0]?["url"]?.string == "https://study.example")
            let paths = json["paths"]?.object?.members.map(\.key) ?? []
            for path in CsiPath.allCases.map(\.rawValue) + UtilityPath.allCases.map(\.rawValue) {
                #expect(paths.contains(path))
            }
            // Each reference has its schema.
            let names = answer.text.matches(of: /#\/components\/schemas\/(\w+)/).map { String($0.output.1) }
            #expect(names.count > 10)
            for name in Set(names) { #expect(json["components"]?["schemas"]?[name] != nil, "\(name)") }
        }
    }
}

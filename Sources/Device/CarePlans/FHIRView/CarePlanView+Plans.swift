import FHIR
import Foundation

extension CarePlanView {
    /// Adds the CarePlans with their CareTeams. Tasks and contacts without a current plan belong to one more.
    mutating func addPlans(
        _ plans: [CareEntity], members: [(contact: CareEntity, resource: UUID)], requests: [Request]
    ) {
        var identities: [CarePlanContents.EntityKey: UUID] = [:]
        for plan in plans { identities[.init(plan)] = plan.uuid }
        /// The current version of the plan that a version names by the uuid of any version.
        func plan(of version: CareEntity) -> UUID? {
            guard let uuid = version.object["carePlanUUID"]?.string.flatMap({ UUID(text: $0) }),
                let plan = contents.graph.versions[uuid]
            else { return nil }
            return identities[.init(plan)]
        }
        let activities = Dictionary(grouping: requests.filter(\.isCurrent)) { plan(of: $0.task) ?? remainder }
        let teams = Dictionary(grouping: members) { plan(of: $0.contact) ?? remainder }
        for version in plans {
            var resource = resource("CarePlan", of: version, hasNotes: true)
            resource["identifier"] = [Self.identifier(version)]
            resource.set("title", FHIRText.string(version.object["title"]).map { .string($0) })
            resource.set("created", time("createdDate", of: version))
            resource.set("note", elements: annotations(of: version))
            addPlan(version.uuid, resource, activities: activities[version.uuid], team: teams[version.uuid])
        }
        if activities[remainder] != nil || teams[remainder] != nil || plans.isEmpty {
            addPlan(
                remainder, ["resourceType": "CarePlan"], activities: activities[remainder], team: teams[remainder])
        }
    }

    private mutating func addPlan(
        _ uuid: UUID, _ resource: JSON, activities: [Request]?, team: [(contact: CareEntity, resource: UUID)]?
    ) {
        var resource = resource
        resource["status"] = "active"
        resource["intent"] = "plan"
        resource["subject"] = CareViewIdentity.reference(subject)
        if let team, !team.isEmpty {
            let identity = CareViewIdentity.derived(from: uuid, "team")
            resource["careTeam"] = [CareViewIdentity.reference(identity)]
            add(
                identity,
                [
                    "resourceType": "CareTeam", "status": "active",
                    "subject": CareViewIdentity.reference(subject),
                    "participant": .array(team.map { ["member": CareViewIdentity.reference($0.resource)] }),
                ])
        }
        resource.set(
            "activity", elements: (activities ?? []).map { ["reference": CareViewIdentity.reference($0.resource)] })
        add(uuid, resource)
    }
}

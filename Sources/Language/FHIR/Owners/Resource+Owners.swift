extension Resource {
    /// The patients that own the resource, according to R4's Patient compartment
    /// (<https://hl7.org/fhir/R4/compartmentdefinition-patient.html>).
    ///
    /// - A Patient is owned only by itself, whatever it links to.
    /// - A Device is owned by its `patient`, a Contract by its `subject` and its signers. A resource of any other type
    ///   outside of the compartment is owned according to its search parameters `subject` and `patient`.
    /// - Members named `subject` and `patient` are evaluated in every type, also if R4 does not define them, so that an
    ///   unknown element cannot hide a patient.
    ///
    /// A reference to a Patient is recognized in each form: relative, absolute, with a version. A reference with
    /// another server's base URL is to another patient (``ResourceOwners/elsewhere``). References to a patient without
    /// an id are reported by ``ResourceOwners/hasUnresolved``. The cost is linear in the size of the resource.
    public var owners: ResourceOwners {
        if resourceType == "Patient" {
            guard let id, Resource.isID(id) else { return ResourceOwners(patients: [], hasUnresolved: true) }
            return ResourceOwners(patients: [id])
        }
        var search = OwnerSearch(in: self)
        for path in OwnerPaths.r4.paths(of: resourceType) { search.look(along: path) }
        return search.owners
    }
}

extension Resource {
    /// Whose the resource is: the patients that R4's Patient compartment finds
    /// (<https://hl7.org/fhir/R4/compartmentdefinition-patient.html>).
    ///
    /// - A Patient is itself alone, whatever it links to.
    /// - A Device is its `patient`'s, a Contract its `subject`'s and its signers'; a resource of any other type outside
    ///   of the compartment is whose its search parameters `subject` and `patient` say.
    /// - Members named `subject` and `patient` count in every type, also where R4 has no such element, so that nobody is
    ///   hidden behind a name that a reader passes over.
    ///
    /// A reference to a Patient counts in each form: relative, absolute, with a version. With another server's base in front
    /// it is to another patient (``ResourceOwners/elsewhere``). What refers to a patient and does not tell the id is said by ``ResourceOwners/hasUnresolved``. The cost is linear in the resource.
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

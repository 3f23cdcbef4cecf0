package org.relayledger.resolvecli;

import org.relayledger.testing.HouseRules;

final class HouseRulesTest extends HouseRules {}

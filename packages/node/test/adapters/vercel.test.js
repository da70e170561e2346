import { adapterTests } from "./kit.js";

adapterTests("vercel", { goesOn: true });

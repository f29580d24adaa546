// Stands for git: says on stdout what it does.
const [name] = process.argv.slice(2);
console.log(`Fetching ${name} ...`);
console.log(` * branch main -> ${name}/main`);
